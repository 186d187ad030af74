// Numbers and core strings as QString. The figures come from core/base/units; here only "unknown" is decided (look.md 4, 13).
#pragma once

#include "core/base/language.h"

#include <QString>
#include <optional>
#include <string>

namespace slipway::gui {

inline QString qs(const std::string& text) {
    return QString::fromStdString(text);
}
inline QString qs(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// The language that the window has now.
Language windowLanguage();

/// "–": not known yet.
QString unknownText();
/// "n/a": cannot exist.
QString notApplicableText();

/// A figure of a forecast or measurement: empty or NaN means "not known yet".
QString bytesText(std::optional<double> bytes);
QString secondsText(std::optional<double> seconds);
QString percentText(std::optional<double> fraction);
QString countText(std::optional<double> count);
QString fixedText(std::optional<double> value, int decimals);
QString moneyText(std::optional<double> amount, const std::string& currency);
/// Large counts in words of the language: "8.03 B" or "80.3억".
QString shortText(std::optional<double> count);
/// Relative difference with its sign: "+8 %", "−0.7 %".
QString deltaText(double part);

/// "27.1 GiB" as number and unit, for big figures with small units.
struct Figure {
    QString number;
    QString unit;
};
Figure split(const QString& text);

/// Lets Korean lines break between words only: U+2060 between the syllables of a word (Qt breaks inside words).
QString wordJoined(const QString& text);

/// "10:42:06" local time, and "2026-11-21 10:42".
QString clockText(qint64 unixMilliseconds);
QString dateText(qint64 unixMilliseconds);

}  // namespace slipway::gui
