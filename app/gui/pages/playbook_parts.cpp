#include "app/gui/pages/playbook_parts.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/playbook_experiment.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/reading_text.h"
#include "app/gui/widgets/tables.h"
#include "core/base/units.h"
#include "core/playbook/value_text.h"

#include <nlohmann/json.hpp>

#include <QHBoxLayout>
#include <QTableView>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr double kShortFrom = 1e5;
constexpr double kPowersFrom = 1e15;  // names of counts go no further
constexpr int kMargin = 26;           // of the numbers before titles

}  // namespace

QString says(const LocalText& text) {
    return qs(text.in(windowLanguage()));
}

QString figureText(double value) {
    if (!std::isfinite(value)) return std::isnan(value) ? QStringLiteral("NaN") : QStringLiteral("∞");
    if (std::fabs(value) >= kPowersFrom) return QString::number(value, 'g', 4);
    if (std::fabs(value) >= kShortFrom) return shortText(value);
    return value == std::round(value) ? countText(value) : qs(formatSignificant(value, 4));
}

QString expectedWords(const Claim& claim) {
    return qs(expectedText(claim, [](double value) { return figureText(value).toStdString(); }));
}

QString valueText(const Json& value, const Playbook& playbook) {
    const auto figure = [](double number) { return figureText(number).toStdString(); };
    return qs(slipway::valueText(value, playbook, windowLanguage(), figure));
}

QString wordText(const std::string& word, const Playbook& playbook) {
    return qs(slipway::wordText(word, playbook, windowLanguage()));
}

Section addSection(QVBoxLayout* column, const QString& number, const QString& title, const QString& side) {
    Section out;
    out.widget = new QWidget(column->parentWidget());
    out.widget->setMaximumWidth(px(kMeasure));
    auto* row = new QHBoxLayout(out.widget);
    row->setContentsMargins(px(16), px(12), px(16), px(12));
    row->setSpacing(0);
    if (!number.isEmpty()) {
        auto* place = quietLabel(number, out.widget);
        place->setFixedWidth(px(kMargin));
        row->addWidget(place, 0, Qt::AlignTop);
    }
    out.body = new QVBoxLayout;
    out.body->setSpacing(px(8));
    out.head = new QHBoxLayout;
    out.head->setSpacing(px(8));
    auto* heading = new QLabel(wordJoined(title), out.widget);
    heading->setFont(fontOf(1.0, true));
    out.head->addWidget(heading);
    out.head->addWidget(quietLabel(wordJoined(side), out.widget, kSideSize), 1);
    out.body->addLayout(out.head);
    row->addLayout(out.body, 1);
    column->addWidget(out.widget);
    column->addWidget(edgeLine(Qt::Horizontal, column->parentWidget()));
    return out;
}

QLabel* addText(QVBoxLayout* body, const QString& text, bool quiet) {
    auto* label = new ReadingText(wordJoined(text), body->parentWidget());
    if (quiet) setInk(label, theme().text2);
    body->addWidget(label);
    return label;
}

void addMarked(QVBoxLayout* body, Icon icon, const QColor& ink, const QString& text) {
    auto* row = new QHBoxLayout;
    row->setSpacing(px(8));
    auto* sign = new QLabel(body->parentWidget());
    sign->setPixmap(iconPixmap(icon, ink, 12));
    sign->setContentsMargins(0, px(3), 0, 0);
    row->addWidget(sign, 0, Qt::AlignTop);
    row->addWidget(new ReadingText(wordJoined(text), body->parentWidget()), 1);
    body->addLayout(row);
}

QTableView* newTable(QAbstractItemModel* model, const char* name, const QString& title, QWidget* parent) {
    auto* table = new QTableView(parent);
    table->setObjectName(QString::fromLatin1(name));
    table->setAccessibleName(title);
    table->setModel(model);
    prepareTable(table);
    keepColumnsFitted(table);
    return table;
}

QVBoxLayout* newColumn(QWidget* content) {
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    return column;
}

bool confirmFetch(QWidget* parent, const slipway::Reference& reference) {
    const QString checksum =
        reference.sha256.empty() ? PlaybookExperiment::tr("recorded at this fetch") : qs(reference.sha256);
    const QString what = PlaybookExperiment::tr("%1\nLicence: %2\nSize: about %3\nSHA-256: %4")
                             .arg(qs(reference.url), qs(reference.licence), bytesText(reference.aboutBytes), checksum);
    return askConfirm(parent, PlaybookExperiment::tr("Fetch “%1”?").arg(says(reference.title)), what,
                      PlaybookExperiment::tr("Fetch"));
}

Icon iconOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Agrees: return Icon::Completed;
        case Verdict::Differs: return Icon::Failed;
        case Verdict::Inconclusive: return Icon::Lost;
        case Verdict::NotRun: break;
    }
    return Icon::Planned;
}

QColor inkOf(Verdict verdict) {
    switch (verdict) {
        case Verdict::Agrees: return theme().ok;
        case Verdict::Differs: return theme().bad;
        case Verdict::Inconclusive: return theme().warn;
        case Verdict::NotRun: break;
    }
    return theme().idle;
}

QString wordsOf(Verdict verdict) {
    return messageText(textOf(verdict));
}

}  // namespace slipway::gui
