#include "app/gui/pages/mfu_view.h"

#include "app/gui/engine/store_access.h"
#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/label_text.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/answer_strip.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/waterfall_view.h"
#include "core/run/run_account.h"

#include <QStackedWidget>
#include <QVBoxLayout>
#include <cmath>

namespace slipway::gui {
namespace {

constexpr qint64 kRefreshMilliseconds = 5000;  // of a run in progress: each read goes through all its steps

}  // namespace

MfuView::MfuView(Home home, QWidget* parent) : TabView(parent), m_home(std::move(home)) {
    auto* shown = new QWidget(content());
    m_strip = new AnswerStrip(4, shown);
    m_waterfall = new WaterfallView(shown);
    m_waterfall->setObjectName(QStringLiteral("waterfall"));
    m_pane = new Pane(tr("Where did the MFU go?"), m_waterfall, shown);
    m_notes = quietLabel({}, shown, kSideSize);
    m_notes->setObjectName(QStringLiteral("mfuNotes"));
    m_notes->setWordWrap(true);
    m_notes->setContentsMargins(px(16), px(8), px(16), px(12));
    auto* column = new QVBoxLayout(shown);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_strip);
    column->addWidget(edgeLine(Qt::Horizontal, shown));
    column->addWidget(m_pane);
    column->addWidget(m_notes);
    column->addStretch(1);
    addStack(shown);
}

void MfuView::setRun(const RunId& id, const StreamPosition& position, bool active) {
    if (id != m_id) {
        m_account.reset();
        m_error.reset();
        m_shown = {};
        m_job.cancel();
    }
    m_id = id;
    m_position = position;
    m_active = active;
    if (isVisible()) read();
}

void MfuView::showEvent(QShowEvent* event) {
    TabView::showEvent(event);
    read();
}

void MfuView::read() {
    if (m_id.empty()) return;
    const bool known = m_shown == m_id;
    if (known && m_read == m_position) return;
    if (known && m_active && m_age.isValid() && m_age.elapsed() < kRefreshMilliseconds) return;
    if (!known) showAccount();
    m_shown = m_id;
    m_read = m_position;
    m_age.start();
    m_job.start(
        [home = m_home, id = m_id](const std::stop_token&) {
            return readStore(home, [&](RunStore& store) { return readAccount(store, id); });
        },
        [this](Result<AccountedRun> answer) {
            m_error = answer ? std::optional<Error>() : answer.error();
            if (answer) m_account = std::move(*answer);
            showAccount();
        });
}

void MfuView::showAccount() {
    if (m_error) {
        state()->show(tr("The step cannot be accounted for."), errorText(*m_error));
        return stack()->setCurrentIndex(0);
    }
    if (!m_account) {
        state()->show(tr("Reading the run…"), qs(m_id.value));
        return stack()->setCurrentIndex(0);
    }
    const StepAccount& account = m_account->account;
    if (!account.stepSeconds && !account.forecastSeconds) {
        if (m_active)
            state()->show(tr("There is nothing to account for yet."),
                          tr("The account begins with the first steps after the warm-up."));
        else
            state()->show(tr("There is nothing to account for."),
                          tr("The run has no steps after its warm-up, and no forecast."));
        return stack()->setCurrentIndex(0);
    }
    stack()->setCurrentIndex(1);
    const auto share = [&](TimePart part) {
        const auto percent = account.share(part, false);
        return percent ? percentText(*percent / 100) : unknownText();
    };
    const auto forecast = [](const QString& text) { return tr("forecast %1").arg(text); };
    const auto most = largestLoss(account);
    const auto& rest = account.measured[TimePart::Unexplained];
    const QString rule = account.mfuRule.empty() ? tr("MFU") : tr("MFU (%1)").arg(mfuRuleText(account.mfuRule));
    m_strip->setAnswers(
        {{rule, percentText(account.mfu), {}, forecast(percentText(account.forecastMfu)), false},
         {tr("Step time"), secondsText(account.stepSeconds), {}, forecast(secondsText(account.forecastSeconds)), false},
         {tr("Largest loss"),
          most ? share(*most) : unknownText(),
          {},
          most ? messageText(titleOf(*most)) : QString(),
          false},
         {tr("Unexplained"),
          share(TimePart::Unexplained),
          {},
          rest ? tr("%1 of %2").arg(secondsText(*rest), secondsText(account.stepSeconds)) : QString(),
          false}});
    m_waterfall->setAccount(account);
    m_pane->setTitle(account.mfu || account.forecastMfu ? tr("Where did the MFU go?") : tr("Where did the time go?"));
    m_pane->setSideText(account.stepSeconds
                            ? tr("% of the device peak; median of %n step(s), %1 to %2, mean over ranks", nullptr,
                                 static_cast<int>(account.numSteps))
                                  .arg(countText(static_cast<double>(account.firstStep)),
                                       countText(static_cast<double>(account.lastStep)))
                            : tr("forecast only"));
    QStringList notes{
        tr("The parts of the step add up to it. Measured (solid): mean over ranks; forecast (dashed): the "
           "critical rank.")};
    if (!account.label.empty()) notes << tr("Forecast basis: %1.").arg(labelText(account.label));
    for (const Message& note : account.notes) notes << messageText(note);
    m_notes->setText(wordJoined(notes.join(QLatin1Char(' '))));
}

}  // namespace slipway::gui
