#include "app/gui/pages/start_panel.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/pane.h"
#include "core/launch/computer.h"
#include "core/run/machine.h"

#include <QHBoxLayout>
#include <QShowEvent>
#include <QVBoxLayout>

namespace slipway::gui {

StartPanel::StartPanel(Context& context, QWidget* parent) : QWidget(parent), m_context(context), m_job(this) {
    auto* left = new QVBoxLayout;
    left->setSpacing(px(12));
    auto* headline = new QLabel(tr("No runs yet"), this);
    headline->setObjectName(QStringLiteral("startHeadline"));
    headline->setFont(fontOf(kAnswerSize, true));
    auto* sentence = quietLabel(
        wordJoined(tr("Runs appear here once planned, started or imported. Nothing leaves this computer.")), this);
    sentence->setWordWrap(true);
    left->addWidget(headline);
    left->addWidget(sentence);
    left->addWidget(edgeLine(Qt::Horizontal, this));
    addAction(left, tr("Plan a run"),
              tr("Choose a model and hardware. Memory, step time and cost are forecast before the start."),
              tr("Plan a run"), &StartPanel::planWanted);
    addAction(
        left, tr("Train a tiny model here"),
        tr("A model of about one million parameters on the processor of this computer: one click makes the tokens of a sample text and starts."),
        tr("Train it now"), &StartPanel::tinyWanted);
    addAction(left, tr("Bring runs of other trainers"),
              tr("Console logs, TensorBoard files and tables of results become runs."), tr("Import…"),
              &StartPanel::importWanted);
    addAction(left, tr("Bring your own run folders"), tr("Copy them to the run folder, then read them into the index."),
              tr("Read run folders"), &StartPanel::reindexWanted);
    left->addStretch(1);

    auto* right = new QVBoxLayout;
    right->setSpacing(px(6));
    auto* head = new QHBoxLayout;
    auto* title = new QLabel(tr("This computer"), this);
    title->setFont(fontOf(1.0, true));
    auto* again = linkButton(tr("Check again"), this);
    connect(again, &QPushButton::clicked, this, &StartPanel::check);
    head->addWidget(title, 1);
    head->addWidget(again);
    right->addLayout(head);
    right->addWidget(edgeLine(Qt::Horizontal, this));
    m_factsHolder = new QWidget(this);
    m_facts = new QVBoxLayout(m_factsHolder);
    m_facts->setContentsMargins(0, 0, 0, 0);
    m_facts->setSpacing(0);
    right->addWidget(m_factsHolder);
    right->addStretch(1);

    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(px(24), px(72), px(24), px(24));
    row->addStretch(1);
    row->addLayout(left, 8);
    row->addStretch(1);
    row->addLayout(right, 5);
    row->addStretch(1);
}

void StartPanel::addAction(QVBoxLayout* column, const QString& title, const QString& what, const QString& button,
                           void (StartPanel::*wanted)()) {
    auto* row = new QHBoxLayout;
    auto* text = new QVBoxLayout;
    auto* name = new QLabel(title, this);
    name->setFont(fontOf(1.0, true));
    auto* sentence = quietLabel(wordJoined(what), this);
    sentence->setWordWrap(true);
    text->addWidget(name);
    text->addWidget(sentence);
    auto* go = new QPushButton(button, this);
    go->setMinimumWidth(px(150));
    connect(go, &QPushButton::clicked, this, wanted);
    row->addLayout(text, 1);
    row->addSpacing(px(16));
    row->addWidget(go);
    column->addLayout(row);
    column->addWidget(edgeLine(Qt::Horizontal, this));
}

void StartPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    check();
}

void StartPanel::check() {
    struct Answer {
        ComputerFacts computer;
        std::optional<double> freeBytes;
        bool measured;
    };
    m_job.start(
        [home = m_context.engine.home()](std::stop_token) {
            return Answer{thisComputer(), freeDiskBytes(home.path), machineProfile(home).has_value()};
        },
        [this](const Answer& a) {
            const Programs& programs = m_context.engine.programs();
            showFacts(
                {{tr("Trainer"), programs.trainer.empty() ? tr("not found in the folder of this program") : tr("found"),
                  programs.trainer.empty() ? 2 : 0},
                 {tr("Processor"),
                  tr("%n core(s), %1 memory", nullptr, a.computer.cpus).arg(bytesText(a.computer.memoryBytes)), 0},
                 {tr("Measured peak"), a.measured ? tr("measured") : tr("measured at the first start"),
                  a.measured ? 0 : 1},
                 {tr("Run folder"), tr("%1 free").arg(bytesText(a.freeBytes)),
                  a.freeBytes && *a.freeBytes > 1e9 ? 0 : 2},
                 {tr("Folder"), qs(m_context.engine.home().runs().string()), 1}});
        });
}

void StartPanel::showFacts(const std::vector<Fact>& facts) {
    const Theme& t = theme();
    while (QLayoutItem* item = m_facts->takeAt(0)) {
        if (item->widget()) item->widget()->deleteLater();
        delete item;
    }
    for (const Fact& fact : facts) {
        auto* line = new QWidget(m_factsHolder);
        auto* row = new QHBoxLayout(line);
        row->setContentsMargins(0, px(4), 0, px(4));
        auto* icon = new QLabel(line);
        icon->setPixmap(iconPixmap(fact.state == 0   ? Icon::Good
                                   : fact.state == 1 ? Icon::Info
                                                     : Icon::Error,
                                   fact.state == 0   ? t.ok
                                   : fact.state == 1 ? t.idle
                                                     : t.bad,
                                   12));
        auto* value = new ElidedLabel(line);
        value->setFullText(fact.value);
        QPalette ink = value->palette();
        ink.setColor(QPalette::WindowText, t.text2);
        value->setPalette(ink);
        row->addWidget(icon);
        row->addWidget(new QLabel(fact.name, line));
        row->addStretch(1);
        row->addWidget(value);
        m_facts->addWidget(line);
        m_facts->addWidget(edgeLine(Qt::Horizontal, m_factsHolder));
    }
}

}  // namespace slipway::gui
