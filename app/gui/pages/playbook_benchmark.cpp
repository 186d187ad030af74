#include "app/gui/pages/playbook_benchmark.h"

#include "app/gui/pages/dialogs.h"
#include "app/gui/pages/page.h"
#include "app/gui/pages/playbook_parts.h"
#include "app/gui/pages/tab_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/drawing_view.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"
#include "core/report/benchmark_picture.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QScrollArea>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

namespace slipway::gui {
namespace {

QString speedText(double tokensPerSecond) {
    return countText(tokensPerSecond);
}

}  // namespace

PlaybookBenchmark::PlaybookBenchmark(PlaybookController& controller, QWidget* parent)
    : QWidget(parent), m_controller(controller) {
    using B = RowColumn<BenchmarkFacts::Best>;
    const auto ifRan = [](auto text) {
        return [text](const BenchmarkFacts::Best& row) { return row.fastest ? text(row) : QString(); };
    };
    m_best = new RowsModel<BenchmarkFacts::Best>(
        {B(tr("Model"), [](const auto& row) { return qs(row.model); }),
         B(
             tr("Nodes"), [](const auto& row) { return QString::number(row.nodes); }, Qt::AlignRight),
         B(
             tr("Ran"), [](const auto& row) { return tr("%1 of %2").arg(row.ran).arg(row.tried); }, Qt::AlignRight),
         B(
             tr("Fastest layout"),
             [](const auto& row) { return row.fastest ? qs(layoutText(*row.fastest)) : tr("none ran"); }, Qt::AlignLeft,
             [](const auto& row) { return row.fastest ? QColor() : theme().bad; }),
         B(tr("Tokens/s per GPU"), ifRan([](const auto& row) { return speedText(row.tokensPerSecondPerGpu); }),
           Qt::AlignRight),
         B(tr("MFU"), ifRan([](const auto& row) { return percentText(row.mfuPercent / 100); }), Qt::AlignRight),
         B(tr("Memory, GB"), ifRan([](const auto& row) { return figureText(row.memoryGb); }), Qt::AlignRight),
         B(tr("Best as printed"),
           ifRan([](const auto& row) { return row.printedBest ? qs(layoutText(*row.printedBest)) : tr("the same"); })),
         B(
             tr("Slower by"),
             [](const auto& row) {
                 return row.fastest && row.printedBest
                            ? percentText(1 - row.printedBestTokensPerSecondPerGpu / row.tokensPerSecondPerGpu)
                            : QString();
             },
             Qt::AlignRight)},
        this);
    using L = RowColumn<LayoutRow>;
    const auto ran = [](const LayoutRow& row) { return row.run.tokensPerSecondPerGpu.has_value(); };
    m_layouts = new RowsModel<LayoutRow>(
        {L(tr("Layout"), [](const LayoutRow& row) { return qs(layoutText(row.run.layout)); }),
         L(
             tr("Tokens/s per GPU"),
             [ran](const LayoutRow& row) {
                 return ran(row) ? speedText(*row.run.tokensPerSecondPerGpu) : tr("failed");
             },
             Qt::AlignRight, [ran](const LayoutRow& row) { return ran(row) ? QColor() : theme().bad; }),
         L(
             tr("MFU"), [](const LayoutRow& row) { return row.mfu ? percentText(*row.mfu) : QString(); },
             Qt::AlignRight),
         L(
             tr("MFU as printed"),
             [ran](const LayoutRow& row) { return ran(row) ? percentText(row.run.printedMfu / 100) : QString(); },
             Qt::AlignRight),
         L(
             tr("Memory, GB"),
             [ran](const LayoutRow& row) { return ran(row) ? figureText(row.run.memoryGb) : QString(); },
             Qt::AlignRight)},
        this);

    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("benchmarkSummary"));
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::PlainText);
    m_model = new QComboBox(this);
    m_model->setObjectName(QStringLiteral("benchmarkModel"));
    m_model->setAccessibleName(tr("Model"));
    connect(m_model, &QComboBox::currentIndexChanged, this, &PlaybookBenchmark::showBest);
    m_fetch = new QPushButton(tr("Fetch the page…"), this);
    m_fetch->setObjectName(QStringLiteral("benchmarkFetch"));
    connect(m_fetch, &QPushButton::clicked, this, &PlaybookBenchmark::fetch);
    m_file = new QPushButton(tr("Take a file…"), this);
    m_file->setObjectName(QStringLiteral("benchmarkFile"));
    connect(m_file, &QPushButton::clicked, this, &PlaybookBenchmark::takeFile);
    auto* line = new QHBoxLayout;
    line->setContentsMargins(px(16), px(10), px(16), px(10));
    line->setSpacing(px(8));
    line->addWidget(m_summary, 1);
    line->addWidget(m_model);
    line->addWidget(m_fetch);
    line->addWidget(m_file);

    m_bestTable = newTable(m_best, "benchmarkBest", tr("Best layouts"), this);
    connect(m_bestTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &PlaybookBenchmark::showLayouts);
    auto* layouts = new QWidget(this);
    m_layoutTable = newTable(m_layouts, "benchmarkLayouts", tr("Layouts"), layouts);
    m_noLayouts = new StatePanel(layouts);
    auto* stacked = new QVBoxLayout(layouts);
    stacked->setContentsMargins(0, 0, 0, 0);
    stacked->addWidget(m_layoutTable);
    stacked->addWidget(m_noLayouts);
    m_layoutPane = new Pane(tr("Layouts"), layouts, this);
    m_layoutPane->setFlush(true);
    m_mistakes = new QScrollArea(this);
    m_mistakes->setObjectName(QStringLiteral("benchmarkMistakes"));
    m_mistakes->setAccessibleName(tr("Mistakes of the original"));
    m_mistakes->setFocusPolicy(Qt::StrongFocus);
    auto* below = gui::splitter(Qt::Horizontal, {m_layoutPane, m_mistakes}, {1, 0});
    below->setSizes({px(620), px(380)});
    m_splitter = gui::splitter(Qt::Vertical, {m_bestTable, below}, {1, 1});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(line);
    layout->addWidget(edgeLine(Qt::Horizontal, this));
    layout->addWidget(m_splitter, 1);
}

void PlaybookBenchmark::showAll() {
    const auto& benchmark = m_controller.benchmark();
    if (!benchmark) return;
    std::size_t all = 0, ran = 0;
    for (const BenchmarkCell& cell : benchmark->cells) {
        all += cell.runs.size();
        ran += cell.ran;
    }
    const QString rule = tr("Ranked by tokens/s; MFU by one rule, (6 N + 12 L h s) tokens/s over the peak.");
    m_summary->setText(wordJoined(
        (all == 0 ? tr("The published list of best layouts. The page with all layouts is not on this computer.")
                  : tr("%1 layouts of the fetched page: %2 ran, %3 failed.")
                        .arg(countText(static_cast<double>(all)), countText(static_cast<double>(ran)),
                             countText(static_cast<double>(all - ran)))) +
        QLatin1Char(' ') + rule));
    m_fetch->setVisible(all == 0);
    m_file->setVisible(all == 0);
    m_fetch->setEnabled(!m_controller.isFetching());
    m_file->setEnabled(!m_controller.isFetching());
    if (m_model->count() == 0) {
        const QSignalBlocker quiet(m_model);
        m_model->addItem(tr("All models"));
        for (const BenchmarkFacts::Shape& shape : benchmark->data.facts.shapes) m_model->addItem(qs(shape.name));
    }
    showBest();
}

void PlaybookBenchmark::showBest() {
    const auto& benchmark = m_controller.benchmark();
    auto rows = bestLayouts(benchmark->cells, benchmark->data.facts);
    if (m_model->currentIndex() > 0)
        std::erase_if(rows, [&](const BenchmarkFacts::Best& row) { return qs(row.model) != m_model->currentText(); });
    m_best->setRows(std::move(rows));
    fitColumns(m_bestTable);
    m_bestTable->selectRow(0);
    showLayouts();
}

void PlaybookBenchmark::showLayouts() {
    const auto& benchmark = m_controller.benchmark();
    const int at = m_bestTable->currentIndex().row();
    std::vector<LayoutRow> rows;
    if (at >= 0 && at < m_best->rowCount()) {
        const BenchmarkFacts::Best& best = m_best->rows()[static_cast<std::size_t>(at)];
        m_layoutPane->setTitle(tr("%1 on %n node(s)", nullptr, static_cast<int>(best.nodes)).arg(qs(best.model)));
        m_layoutPane->setSideText(tr("%1 of %2 layouts ran").arg(best.ran).arg(best.tried));
        for (const BenchmarkCell& cell : benchmark->cells)
            if (cell.model == best.model && cell.nodes == best.nodes)
                for (const PublishedRun& run : cell.runs)
                    rows.push_back({run, run.tokensPerSecondPerGpu
                                             ? mfuOf(benchmark->data.facts, run.model, *run.tokensPerSecondPerGpu)
                                             : std::nullopt});
    }
    fillMistakes();
    const bool isEmpty = rows.empty();
    m_layouts->setRows(std::move(rows));
    m_layoutTable->setVisible(!isEmpty);
    m_noLayouts->setVisible(isEmpty);
    if (isEmpty)
        m_noLayouts->show(tr("All layouts come with the page."),
                          tr("Fetch it, or take a copy that is on this computer; it is kept in your home."), {});
    else
        fitColumns(m_layoutTable);
}

void PlaybookBenchmark::fillMistakes() {
    const auto& benchmark = m_controller.benchmark();
    auto* content = new QWidget;
    QVBoxLayout* column = newColumn(content);
    const int at = m_bestTable->currentIndex().row();
    if (at >= 0 && at < m_best->rowCount()) {
        const BenchmarkFacts::Best& best = m_best->rows()[static_cast<std::size_t>(at)];
        for (const BenchmarkCell& cell : benchmark->cells) {
            if (cell.model != best.model || cell.nodes != best.nodes) continue;
            auto picture = benchmarkPicture(cell, windowLanguage());
            if (!picture) continue;
            const Section plot = addSection(column, {}, qs(picture->title));
            auto* view = new DrawingView(std::move(*picture), plot.widget);
            view->setObjectName(QStringLiteral("benchmarkPlot"));
            view->setAccessibleName(tr("Layouts by memory and speed"));
            plot.body->addWidget(view);
        }
    }
    const Section mistakes = addSection(column, {}, tr("Mistakes of the original"));
    for (const LocalText& one : benchmark->data.facts.mistakes)
        addMarked(mistakes.body, Icon::Warning, theme().warn, says(one));
    const Section source = addSection(column, {}, tr("Source"));
    addText(source.body, qs(benchmark->data.facts.source), true);
    column->addStretch(1);
    scrollDown(m_mistakes, content);
}

void PlaybookBenchmark::fetch() {
    const slipway::Reference page = m_controller.benchmark()->page;
    if (confirmFetch(this, page)) m_controller.takeReference(page, {});
}

void PlaybookBenchmark::takeFile() {
    const QString file = askOpenFile(this, tr("The benchmark's page"), tr("Web pages (*.html *.htm);;All files (*)"));
    if (!file.isEmpty()) m_controller.takeReference(m_controller.benchmark()->page, file.toStdString());
}

}  // namespace slipway::gui
