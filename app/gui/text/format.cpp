#include "app/gui/text/format.h"

#include "core/base/units.h"
#include "core/base/untrusted_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

template <class Format>
QString known(std::optional<double> value, Format format) {
    return value && !std::isnan(*value) ? qs(format(*value)) : unknownText();
}

bool isHangul(QChar c) {
    return c.unicode() >= 0xAC00 && c.unicode() <= 0xD7A3;
}

}  // namespace

QString qs(std::string_view text) {
    return exactText(UntrustedText(text).plain());
}

QString shownLines(std::string_view text) {
    return exactText(UntrustedText(text).plainLines());
}

QString shown(const QString& text) {
    return qs(text.toStdString());
}

QString exactText(const std::string& text) {
    return QString::fromStdString(text);
}

QString tabCell(const QString& text) {
    return exactText(asciiText(UntrustedText(text.toStdString()).tsv()));
}

QString shellWord(const QString& text) {
    QString quoted = shown(text);
    const auto isPlain = [](QChar c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               QStringLiteral("_@%+=:,./-").contains(c);
    };
    if (!quoted.isEmpty() && std::all_of(quoted.cbegin(), quoted.cend(), isPlain)) return quoted;
    return QLatin1Char('\'') + quoted.replace(QLatin1Char('\''), QLatin1String("'\\''")) + QLatin1Char('\'');
}

QString fileName(const std::string& name) {
    QString file = qs(name).replace(QLatin1Char('/'), QLatin1Char('-'));
    while (file.startsWith(QLatin1Char('.')) || file.startsWith(QLatin1Char('-'))) file.remove(0, 1);
    return file.isEmpty() ? QStringLiteral("config") : file;
}

Language windowLanguage() {
    return QLocale().language() == QLocale::Korean ? Language::Korean : Language::English;
}

QString unknownText() {
    return QStringLiteral("–");
}

QString notApplicableText() {
    return QStringLiteral("n/a");
}

QString bytesText(std::optional<double> bytes) {
    return known(bytes, formatBytes);
}

QString secondsText(std::optional<double> seconds) {
    return known(seconds, [](double v) { return formatSeconds(v, windowLanguage()); });
}

QString secondsWithin(double seconds, const std::pair<double, double>& interval) {
    const QString text = secondsText(seconds);
    const double below = seconds - interval.first, above = interval.second - seconds;
    if (!std::isfinite(above) || !std::isfinite(below) || !(above + below > 0)) return text;
    const Figure figure = split(text);
    const double unit = seconds / figure.number.toDouble();
    if (!std::isfinite(unit) || !(unit > 0)) return text;
    const qsizetype point = figure.number.indexOf('.');
    const int decimals = point < 0 ? 0 : static_cast<int>(figure.number.size() - point - 1);
    // One number for both sides only where they are alike: a run that may wait has a long upper side.
    constexpr double kAlike = 1.25;
    if (std::max(above, below) <= kAlike * std::min(above, below))
        return QStringLiteral("%1 ± %2\u202F%3")
            .arg(figure.number, fixedText((above + below) / 2 / unit, decimals), figure.unit);
    const auto end = [&](double value) { return fixedText(value / unit, std::max(0, decimals - 1)); };
    return QStringLiteral("%1 (%2–%3)\u202F%4")
        .arg(figure.number, end(interval.first), end(interval.second), figure.unit);
}

QString percentText(std::optional<double> fraction) {
    return known(fraction, formatPercent);
}

QString countText(std::optional<double> count) {
    return known(count, formatCount);
}

QString fixedText(std::optional<double> value, int decimals) {
    return known(value, [decimals](double v) { return formatFixed(v, decimals); });
}

QString moneyText(std::optional<double> amount, const std::string& currency) {
    return known(amount, [&currency](double v) { return formatMoney(v, currency); });
}

QString shortText(std::optional<double> count) {
    return known(count, [](double v) { return formatShort(v, windowLanguage()); });
}

QString deltaText(double part) {
    if (std::isnan(part)) return unknownText();
    const int decimals = std::fabs(part) < 0.0995 ? 1 : 0;
    const QString number = qs(formatFixed(part * 100, decimals));
    return (part > 0 ? QStringLiteral("+") : QString()) + number + QStringLiteral("\u202F%");
}

QString pointsText(double difference) {
    if (std::isnan(difference)) return unknownText();
    const QString number = qs(formatFixed(difference * 100, std::fabs(difference) < 0.0995 ? 1 : 0));
    return (difference > 0 ? QStringLiteral("+") : QString()) + number + QChar(0x202F) +
           QCoreApplication::translate("Format", "points");
}

Figure split(const QString& text) {
    const auto place = text.indexOf(QChar(0x202F));
    if (place < 0) return {text, {}};
    const QString head = text.left(place);
    // Money begins with its currency: "USD 10.4 k".
    if (!head.isEmpty() && head.front().isLetter()) return {text.mid(place + 1), head};
    const QString tail = text.mid(place + 1);
    // "5 d 6 h" is one figure of two numbers.
    if (std::any_of(tail.begin(), tail.end(), [](QChar c) { return c.isDigit(); })) return {text, {}};
    return {head, tail};
}

QString wordJoined(const QString& text) {
    QString out;
    out.reserve(text.size() * 2);
    for (qsizetype i = 0; i < text.size(); ++i) {
        out += text[i];
        if (i + 1 < text.size() && isHangul(text[i + 1]) && !text[i].isSpace() &&
            (isHangul(text[i]) || text[i].isLetterOrNumber()))
            out += QChar(0x2060);
        else if (i + 1 < text.size() && isHangul(text[i]) && text[i + 1].isPunct())
            out += QChar(0x2060);
    }
    return out;
}

QString clockText(qint64 unixMilliseconds) {
    return unixMilliseconds > 0 ? QDateTime::fromMSecsSinceEpoch(unixMilliseconds).toString(QStringLiteral("HH:mm:ss"))
                                : unknownText();
}

QString dateText(qint64 unixMilliseconds) {
    return unixMilliseconds > 0
               ? QDateTime::fromMSecsSinceEpoch(unixMilliseconds).toString(QStringLiteral("yyyy-MM-dd HH:mm"))
               : unknownText();
}

}  // namespace slipway::gui
