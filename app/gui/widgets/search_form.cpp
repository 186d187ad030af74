#include "app/gui/widgets/search_form.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/pane.h"
#include "core/base/units.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

constexpr int kFree = -1;

QStringList wordsOf(SearchAxis axis) {
    QStringList words;
    const auto add = [&words](const auto& names) {
        for (const auto& name : names) words << qs(name.word);
    };
    switch (axis) {
        case SearchAxis::SequenceParallel:
        case SearchAxis::AsyncTp: return {QStringLiteral("true"), QStringLiteral("false")};
        case SearchAxis::CpKind: add(enumNames(CpKind{})); break;
        case SearchAxis::LayerSplit: add(enumNames(LayerSplit{})); break;
        case SearchAxis::Recompute: add(enumNames(RecomputePolicy{})); break;
        case SearchAxis::Schedule: add(enumNames(ScheduleKind{})); break;
        case SearchAxis::Offload: add(enumNames(Offload{})); break;
        default: break;
    }
    return words;
}

void markInvalid(QWidget* widget, bool invalid) {
    if (widget->property("invalid").toBool() == invalid) return;
    widget->setProperty("invalid", invalid);
    widget->update();
}

}  // namespace

SearchForm::SearchForm(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(px(8));
    auto* first = new QHBoxLayout;
    first->setSpacing(px(8));
    const auto labelled = [&](const QString& text, QWidget* editor) {
        auto* label = new QLabel(text, this);
        label->setBuddy(editor);
        editor->setAccessibleName(text);
        first->addWidget(label);
        first->addWidget(editor);
        first->addSpacing(px(6));
    };
    m_objective = new QComboBox(this);
    m_objective->setObjectName(QStringLiteral("objective"));
    m_objective->addItem(tr("Step time"), static_cast<int>(SearchObjective::Speed));
    m_objective->addItem(tr("Memory"), static_cast<int>(SearchObjective::Memory));
    m_objective->addItem(tr("Device-hours"), static_cast<int>(SearchObjective::Cost));
    labelled(tr("Optimize for"), m_objective);
    m_devices = new QLineEdit(this);
    m_devices->setObjectName(QStringLiteral("searchDevices"));
    m_devices->setFixedWidth(px(82));
    m_devices->setToolTip(tr("Device counts to search, for example 256,512. Empty: all of the plan's hardware."));
    labelled(tr("Devices"), m_devices);
    m_memory = new NumberEdit(this);
    m_memory->setObjectName(QStringLiteral("searchMemory"));
    m_memory->configure(false, 0.5 * kGiB, 4096 * kGiB, kGiB, NumberEdit::Steps::One);
    m_memory->allowAbsent(tr("all"));
    m_memory->setAbsent();
    labelled(tr("Memory limit"), m_memory);
    first->addWidget(quietLabel(QStringLiteral("GiB"), this));
    first->addStretch(1);
    m_go = new QPushButton(tr("Search"), this);
    m_go->setObjectName(QStringLiteral("search"));
    first->addWidget(m_go);
    column->addLayout(first);

    m_axesBox = new QWidget(this);
    auto* box = new QVBoxLayout(m_axesBox);
    box->setContentsMargins(0, 0, 0, 0);
    box->setSpacing(px(8));
    m_grid = new QGridLayout;
    m_grid->setHorizontalSpacing(px(8));
    m_grid->setVerticalSpacing(px(4));
    for (const auto& axis : enumNames(SearchAxis{})) {
        auto* holder = new QWidget(m_axesBox);
        auto* cell = new QVBoxLayout(holder);
        cell->setContentsMargins(0, 0, 0, 0);
        cell->setSpacing(px(2));
        auto* editor = makeAxis(axis.value);
        auto* label = new ElidedLabel(holder);
        label->setFont(fontOf(kSideSize));
        label->setFullText(fieldLabel(axisField(axis.value)));
        editor->setAccessibleName(label->fullText());
        editor->setObjectName(QStringLiteral("axis.") + qs(axis.word));
        cell->addWidget(label);
        cell->addWidget(editor);
        m_axes[static_cast<std::size_t>(axis.value)] = editor;
        m_holders[static_cast<std::size_t>(axis.value)] = holder;
    }
    box->addLayout(m_grid);
    auto* last = new QHBoxLayout;
    last->setSpacing(px(16));
    m_runnable = new QCheckBox(tr("Layouts of the bundled trainer only"), this);
    m_runnable->setObjectName(QStringLiteral("onlyRunnable"));
    m_acrossNodes = new QCheckBox(tr("Tensor parallelism across nodes"), this);
    m_acrossNodes->setObjectName(QStringLiteral("tpAcrossNodes"));
    last->addWidget(m_runnable);
    last->addWidget(m_acrossNodes);
    last->addStretch(1);
    box->addLayout(last);
    column->addWidget(m_axesBox);
    m_problem = new QLabel(this);
    m_problem->setObjectName(QStringLiteral("searchProblem"));
    m_problem->setWordWrap(true);
    QPalette palette = m_problem->palette();
    palette.setColor(QPalette::WindowText, theme().bad);
    palette.setColor(QPalette::Text, theme().bad);
    m_problem->setPalette(palette);
    m_problem->hide();
    column->addWidget(m_problem);
    arrange(6);

    const auto tell = [this] {
        if (!m_filling) emit changed();
    };
    connect(m_objective, &QComboBox::activated, this, tell);
    connect(m_devices, &QLineEdit::textEdited, this, tell);
    connect(m_memory, &QDoubleSpinBox::valueChanged, this, tell);
    connect(m_runnable, &QCheckBox::toggled, this, tell);
    connect(m_acrossNodes, &QCheckBox::toggled, this, tell);
    connect(m_devices, &QLineEdit::returnPressed, this, &SearchForm::searchWanted);
    connect(m_go, &QPushButton::clicked, this, [this] {
        if (m_running)
            emit cancelWanted();
        else
            emit searchWanted();
    });
}

QWidget* SearchForm::makeAxis(SearchAxis axis) {
    const QStringList words = wordsOf(axis);
    if (words.isEmpty()) {
        auto* edit = new QLineEdit(this);
        edit->setPlaceholderText(tr("free"));
        edit->setToolTip(tr("Empty: free. One value, a list 2,4, a range 2..8, <=8 or >=2."));
        connect(edit, &QLineEdit::textEdited, this, [this] { emit changed(); });
        connect(edit, &QLineEdit::returnPressed, this, &SearchForm::searchWanted);
        return edit;
    }
    auto* box = new QComboBox(this);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(3);
    // Simulated action by action, which takes milliseconds a layout: free covers the other three.
    box->addItem(tr("free"), kFree);
    if (axis == SearchAxis::LayerSplit)
        box->setToolTip(tr("Stages with embedding and head may have fewer layers; the stages between take them."));
    if (axis == SearchAxis::Schedule)
        box->setToolTip(tr("Free: AFAB, 1F1B and interleaved 1F1B; choose another schedule to search it."));
    for (const QString& word : words)
        box->addItem(axis == SearchAxis::SequenceParallel || axis == SearchAxis::AsyncTp
                         ? (word == QStringLiteral("true") ? tr("on") : tr("off"))
                         : choiceText(axisField(axis), word.toStdString()),
                     word);
    connect(box, &QComboBox::activated, this, [this] { emit changed(); });
    return box;
}

void SearchForm::arrange(int columns) {
    if (columns == m_columns) return;
    m_columns = columns;
    for (std::size_t i = 0; i < m_holders.size(); ++i)
        m_grid->addWidget(m_holders[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
    for (int c = 0; c < 12; ++c) m_grid->setColumnStretch(c, c < columns ? 1 : 0);
}

void SearchForm::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange(width() >= px(1100) ? 9 : width() >= px(620) ? 6 : 4);
}

void SearchForm::setQuestion(const SearchQuestion& question) {
    m_filling = true;
    m_question = question;
    m_objective->setCurrentIndex(m_objective->findData(static_cast<int>(question.objective)));
    if (m_devices->text() != exactText(question.devices)) m_devices->setText(exactText(question.devices));
    if (question.memoryBytes)
        m_memory->setStored(*question.memoryBytes);
    else
        m_memory->setAbsent();
    m_runnable->setChecked(question.onlyRunnable);
    m_acrossNodes->setChecked(question.tpAcrossNodes);
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        const QString text = exactText(question.axes[i]);
        if (auto* edit = qobject_cast<QLineEdit*>(m_axes[i])) {
            if (edit->text() != text) edit->setText(text);
        } else if (auto* box = qobject_cast<QComboBox*>(m_axes[i])) {
            box->setCurrentIndex(std::max(0, box->findData(text)));
        }
    }
    m_filling = false;
}

SearchQuestion SearchForm::question() const {
    SearchQuestion q = m_question;
    q.objective = static_cast<SearchObjective>(m_objective->currentData().toInt());
    q.devices = m_devices->text().trimmed().toStdString();
    q.memoryBytes.reset();
    if (!m_memory->isAbsent()) q.memoryBytes = m_memory->storedText().toDouble();
    q.onlyRunnable = m_runnable->isChecked();
    q.tpAcrossNodes = m_acrossNodes->isChecked();
    for (std::size_t i = 0; i < m_axes.size(); ++i) {
        if (const auto* edit = qobject_cast<const QLineEdit*>(m_axes[i]))
            q.axes[i] = edit->text().remove(' ').toStdString();
        else if (const auto* box = qobject_cast<const QComboBox*>(m_axes[i]))
            q.axes[i] = box->currentIndex() > 0 ? box->currentData().toString().toStdString() : std::string();
    }
    return q;
}

int SearchForm::numLimited() const {
    const SearchQuestion q = question();
    return static_cast<int>(
        std::count_if(q.axes.begin(), q.axes.end(), [](const std::string& text) { return !text.empty(); }));
}

void SearchForm::setDefaults(std::int64_t devices, double memoryBytes) {
    m_devices->setPlaceholderText(QString::number(devices));
    m_memory->setToolTip(memoryBytes > 0
                             ? tr("Memory limit per rank. Empty: all of its device, %1.").arg(bytesText(memoryBytes))
                             : tr("Memory limit per rank. Empty: all of its device."));
}

void SearchForm::tell(const QString& text) {
    m_problem->setText(wordJoined(text));
    m_problem->setVisible(!text.isEmpty());
}

void SearchForm::setImpossible(const std::vector<ImpossibleLimit>& limits) {
    tell(impossibleSentences(limits).join('\n'));
    for (const auto& axis : enumNames(SearchAxis{}))
        markInvalid(
            m_axes[static_cast<std::size_t>(axis.value)],
            std::any_of(limits.begin(), limits.end(), [&](const ImpossibleLimit& l) { return l.axis == axis.value; }));
}

void SearchForm::setProblem(const Error& error) {
    tell(error.message.empty() ? QString() : errorText(error));
    markInvalid(m_devices, error.where == "devices" && !error.message.empty());
    for (const auto& axis : enumNames(SearchAxis{}))
        markInvalid(m_axes[static_cast<std::size_t>(axis.value)], !error.message.empty() && error.where == axis.word);
}

void SearchForm::setFolded(bool folded) {
    m_folded = folded;
    m_axesBox->setVisible(!folded);
}

void SearchForm::setRunning(bool running) {
    m_running = running;
    m_go->setText(running ? tr("Cancel") : tr("Search"));
}

}  // namespace slipway::gui
