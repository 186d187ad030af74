#include "app/gui/pages/filter_dialog.h"

#include "app/gui/engine/list_store.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "core/store/run_fields.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr std::size_t kMostValues = 200;  // for a field with more, people type

constexpr std::array<std::pair<FilterOp, const char*>, 7> kOperators = {{{FilterOp::Equal, ":"},
                                                                         {FilterOp::NotEqual, "!="},
                                                                         {FilterOp::Less, "<"},
                                                                         {FilterOp::LessEqual, "<="},
                                                                         {FilterOp::Greater, ">"},
                                                                         {FilterOp::GreaterEqual, ">="},
                                                                         {FilterOp::Contains, "~"}}};

QString quoted(const QString& value) {
    const bool isPlain = !value.isEmpty() && std::all_of(value.begin(), value.end(), [](QChar c) {
        return c.isLetterOrNumber() || QStringLiteral("_.-+%:").contains(c);
    });
    if (isPlain) return value;
    QString inside = value;
    inside.replace(QLatin1Char('\\'), QStringLiteral("\\\\")).replace(QLatin1Char('"'), QStringLiteral("\\\""));
    return QLatin1Char('"') + inside + QLatin1Char('"');
}

/// The value in filter syntax; the tags of a run together are not one value.
QString valueText(const CellValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return exactText(*text);
    if (const auto* number = std::get_if<double>(&value)) return QString::number(*number, 'g', 12);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return QString::number(*whole);
    return QStringLiteral("none");
}

}  // namespace

QString filterTerm(const QString& field, FilterOp op, const QStringList& values) {
    const auto known = std::find_if(kOperators.begin(), kOperators.end(), [&](const auto& o) { return o.first == op; });
    QStringList parts;
    for (const QString& value : values) parts << quoted(value);
    return field + QLatin1String(known == kOperators.end() ? ":" : known->second) + parts.join(QLatin1Char(','));
}

FilterDialog::FilterDialog(Context& context, const FilterNode* term, QWidget* parent)
    : QDialog(parent), m_context(context), m_job(this) {
    setObjectName(QStringLiteral("filterDialog"));
    setWindowTitle(term ? tr("Change filter") : tr("Add filter"));
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Find a field"));
    m_search->setAccessibleName(tr("Find a field"));
    m_fields = new QListWidget(this);
    m_fields->setObjectName(QStringLiteral("fields"));
    m_fields->setAccessibleName(tr("Fields"));
    for (const RunField& info : runFields()) {
        auto* item = new QListWidgetItem(columnTitle(info.name), m_fields);  // owned by the list
        item->setData(Qt::UserRole, qs(info.name));
        item->setToolTip(qs(info.name));
    }
    m_op = new QComboBox(this);
    m_op->setAccessibleName(tr("Comparison"));
    const QStringList words{tr("is one of"), tr("is not"),   tr("below"),   tr("at most"),
                            tr("above"),     tr("at least"), tr("contains")};
    for (std::size_t i = 0; i < kOperators.size(); ++i) m_op->addItem(words[static_cast<qsizetype>(i)]);
    m_values = new QListWidget(this);
    m_values->setObjectName(QStringLiteral("values"));
    m_values->setAccessibleName(tr("Values"));
    m_typed = new QLineEdit(this);
    m_typed->setObjectName(QStringLiteral("typed"));
    m_typed->setPlaceholderText(tr("or type a value"));
    m_typed->setAccessibleName(tr("Value"));
    auto* buttons = new QDialogButtonBox(this);
    m_apply = buttons->addButton(term ? tr("Change") : tr("Add"), QDialogButtonBox::AcceptRole);
    buttons->addButton(tr("Cancel"), QDialogButtonBox::RejectRole);
    auto* left = new QVBoxLayout;
    left->addWidget(m_search);
    left->addWidget(m_fields, 1);
    auto* right = new QVBoxLayout;
    right->addWidget(m_op);
    right->addWidget(m_values, 1);
    right->addWidget(m_typed);
    auto* panes = new QHBoxLayout;
    panes->addLayout(left, 1);
    panes->addLayout(right, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(panes, 1);
    layout->addWidget(buttons);
    resize(px(520), px(440));
    connect(m_search, &QLineEdit::textChanged, this, [this](const QString& text) {
        for (int row = 0; row < m_fields->count(); ++row) {
            QListWidgetItem* item = m_fields->item(row);
            item->setHidden(!item->text().contains(text, Qt::CaseInsensitive) &&
                            !item->data(Qt::UserRole).toString().contains(text, Qt::CaseInsensitive));
        }
    });
    QString named = QStringLiteral("status");
    if (term) {
        if (const RunField* info = findRunField(term->field)) named = qs(info->name);
        const auto known =
            std::find_if(kOperators.begin(), kOperators.end(), [&](const auto& o) { return o.first == term->op; });
        if (known != kOperators.end()) m_op->setCurrentIndex(static_cast<int>(known - kOperators.begin()));
        for (const std::string& value : term->values) m_checked << exactText(value);
        if (term->op != FilterOp::Equal || m_checked.first().contains(QStringLiteral("..")))
            m_typed->setText(m_checked.join(QLatin1Char(',')));
    }
    connect(m_fields, &QListWidget::currentItemChanged, this, &FilterDialog::loadValues);
    connect(m_values, &QListWidget::itemChanged, this, &FilterDialog::evaluate);
    connect(m_typed, &QLineEdit::textChanged, this, &FilterDialog::evaluate);
    connect(m_op, &QComboBox::currentIndexChanged, this, &FilterDialog::evaluate);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        emit chosen(this->term());
        accept();
    });
    for (int row = 0; row < m_fields->count(); ++row)
        if (m_fields->item(row)->data(Qt::UserRole).toString() == named) m_fields->setCurrentRow(row);
    evaluate();
}

QString FilterDialog::field() const {
    return m_fields->currentItem() ? m_fields->currentItem()->data(Qt::UserRole).toString() : QString();
}

void FilterDialog::loadValues() {
    RunQuery query;
    query.groupBy = field().toStdString();
    m_job.start(
        [home = m_context.engine.home(), query](std::stop_token stop) {
            return readLists(home, [&](RunStore& store) { return store.groups(query, {}, stop); });
        },
        [this](const Result<std::vector<RunGroup>>& groups) {
            m_values->clear();
            if (!groups) return;
            const RunField* info = findRunField(field().toStdString());
            const bool isList = info && info->kind != RunFieldKind::Tags && info->kind != RunFieldKind::Time;
            for (std::size_t i = 0; isList && i < std::min(groups->size(), kMostValues); ++i) {
                const RunGroup& group = groups->at(i);
                const QString value = valueText(group.value);
                auto* item = new QListWidgetItem(  // owned by the list
                    tr("%1   (%2)").arg(shown(value), countText(static_cast<double>(group.count))), m_values);
                item->setData(Qt::UserRole, value);
                item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
                item->setCheckState(m_checked.contains(value) ? Qt::Checked : Qt::Unchecked);
            }
            m_checked.clear();
            evaluate();
        });
}

QString FilterDialog::term() const {
    QStringList values;
    for (int row = 0; row < m_values->count(); ++row)
        if (m_values->item(row)->checkState() == Qt::Checked)
            values << m_values->item(row)->data(Qt::UserRole).toString();
    const FilterOp op = kOperators[static_cast<std::size_t>(std::max(0, m_op->currentIndex()))].first;
    const bool takesMany = op == FilterOp::Equal || op == FilterOp::NotEqual;
    if (const QString typed = m_typed->text().trimmed(); !typed.isEmpty())
        values = takesMany ? values + typed.split(QLatin1Char(','), Qt::SkipEmptyParts) : QStringList{typed};
    return field().isEmpty() || values.isEmpty() ? QString() : filterTerm(field(), op, values);
}

void FilterDialog::evaluate() {
    const QString now = term();
    const auto filter = parseRunFilter(now.toStdString());
    m_apply->setEnabled(!now.isEmpty() && filter);
    m_apply->setToolTip(filter ? shown(now) : errorText(toError(filter.error())));
}

}  // namespace slipway::gui
