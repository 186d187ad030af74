#include "app/gui/pages/alerts_form.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/pane.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>

namespace slipway::gui {

AlertsForm::AlertsForm(AlertDesk& desk, QWidget* parent) : QWidget(parent), m_desk(desk) {
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(px(12));
    grid->setVerticalSpacing(px(6));
    grid->setColumnStretch(3, 1);
    auto* notify = new QCheckBox(tr("Show alerts as notifications of the desktop"), this);
    notify->setObjectName(QStringLiteral("alerts_notify"));
    notify->setChecked(desk.notifies());
    connect(notify, &QCheckBox::toggled, this, [this](bool on) { m_desk.setNotifies(on); });
    grid->addWidget(notify, 0, 0, 1, 4);
    int row = 0;
    for (const AlertRuleInfo& info : alertRules()) {
        const auto index = static_cast<std::size_t>(info.rule);
        Line& line = m_lines[index];
        const QString help = messageText(info.help);
        line.on = new QCheckBox(messageText(info.name), this);
        line.on->setObjectName(QStringLiteral("alert_") + qs(info.word));
        line.on->setToolTip(help);
        line.on->setAccessibleDescription(help);
        connect(line.on, &QCheckBox::toggled, this, [this, index](bool on) {
            m_desk.change([index, on](AlertSettings& settings) { settings.choices[index].isOn = on; });
        });
        grid->addWidget(line.on, ++row, 0);
        if (info.unit.empty()) continue;
        line.threshold = new NumberEdit(this);
        line.threshold->setObjectName(QStringLiteral("threshold_") + qs(info.word));
        line.threshold->configure(false, info.least, info.most, 1, NumberEdit::Steps::One);
        line.threshold->setKeyboardTracking(false);
        line.threshold->setToolTip(help);
        line.threshold->setAccessibleName(tr("Threshold of %1").arg(messageText(info.name)));
        connect(line.threshold, &NumberEdit::valueChanged, this, [this, index](double value) {
            m_desk.change([index, value](AlertSettings& settings) { settings.choices[index].threshold = value; });
        });
        grid->addWidget(line.threshold, row, 1);
        grid->addWidget(quietLabel(qs(info.unit), this), row, 2);
    }
    m_hook = quietLabel({}, this);
    m_hook->setObjectName(QStringLiteral("alerts_hook"));
    m_hook->setWordWrap(true);
    m_hook->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_remove = linkButton(tr("Remove hook"), this);
    m_remove->setObjectName(QStringLiteral("alerts_remove_hook"));
    connect(m_remove, &QPushButton::clicked, this,
            [this] { m_desk.change([](AlertSettings& settings) { settings.hook.clear(); }); });
    connect(&desk, &AlertDesk::changed, this, &AlertsForm::load);
    connect(&desk, &AlertDesk::failed, this, &AlertsForm::load);
    grid->addWidget(m_hook, ++row, 0, 1, 4);
    grid->addWidget(m_remove, ++row, 0, Qt::AlignLeft);
    fill(AlertSettings{});
    setEnabled(false);
}

void AlertsForm::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    load();
}

void AlertsForm::load() {
    m_desk.load([this](const Result<AlertSettings>& settings) { fill(settings); });
}

void AlertsForm::fill(const Result<AlertSettings>& settings) {
    setEnabled(settings.has_value());
    if (!settings) return m_hook->setText(errorText(settings.error()));
    for (std::size_t i = 0; i < kNumAlertRules; ++i) {
        const QSignalBlocker quietOn(m_lines[i].on);
        m_lines[i].on->setChecked(settings->choices[i].isOn);
        if (m_lines[i].threshold == nullptr) continue;
        const QSignalBlocker quietThreshold(m_lines[i].threshold);
        m_lines[i].threshold->setStored(settings->choices[i].threshold);
    }
    QStringList words;
    for (const std::string& word : settings->hook) words << shellWord(qs(word));
    m_hook->setText(words.isEmpty()
                        ? tr("No hook: `slipway alerts set-hook -- PROGRAM` sets a program that each alert starts.")
                        : tr("Hook: %1").arg(words.join(QChar(' '))));
    m_remove->setVisible(!words.isEmpty());
}

}  // namespace slipway::gui
