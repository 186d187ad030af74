#include "app/gui/pages/import_dialog.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/dialogs.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/metric_chooser.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/tables.h"
#include "core/base/file.h"
#include "core/interop/formats.h"
#include "core/spec/metric_names.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QFileInfo>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

QString leftOut(const ImportedFile& file) {
    QStringList reasons;
    for (const auto& [_, met] : file.log.malformed)
        reasons << QStringLiteral("%1 × %2").arg(met.count).arg(messageText(met.reason));
    return reasons.join(QStringLiteral("; "));
}

std::int64_t numSteps(const ImportedFile& file) {
    std::int64_t steps = 0;
    for (const ImportedRun& run : file.runs) steps += run.log.numSteps();
    return steps;
}

Result<RunConfig> readConfig(const std::string& path) {
    const auto text = readFile(path);
    if (!text) return fail(text.error());
    auto imported = interop::importConfig(interop::guessFormat(*text), *text, path);
    if (!imported) return fail(imported.error());
    return std::move(imported->config);
}

constexpr const char* kStepColumn = "step";
constexpr std::size_t kHeadBytes = 64U << 10;  // of a CSV: its header and a line of figures
constexpr std::size_t kMostChosen = 300;       // columns with individual choices

QString metricText(const std::string& name) {
    const QString metric = qs(name), title = name == kStepColumn
                                                 ? QCoreApplication::translate("slipway::gui::ImportDialog", "Step")
                                                 : metricTitle(metric);
    return title == metric ? metric : QStringLiteral("%1 (%2)").arg(title, metric);
}

QString importedAs(const interop::NameUse& use) {
    if (use.metric.empty()) return ImportDialog::tr("not a metric");
    return use.known || use.metric == kStepColumn ? metricText(use.metric)
                                                  : ImportDialog::tr("%1, unchanged").arg(qs(use.metric));
}

}  // namespace

ImportDialog::File ImportDialog::readOne(const QString& path, const std::string& format,
                                         const std::optional<RunConfig>& config, const Columns& chosen,
                                         const KeepGoing& keepGoing) {
    std::vector<std::string> columns;
    for (const auto& [column, metric] : chosen) columns.push_back(metric + "=" + column);
    File file{path, readImportFile(path.toStdString(), format, config, keepGoing, columns)};
    if (file.read ? file.read->log.format != "csv" : !format.empty() && format != "csv") return file;
    const auto head = readFileFrom(path.toStdString(), 0, kHeadBytes);
    auto uses = head ? interop::columnUses(*head, {}) : Result<std::vector<interop::NameUse>>(fail(head.error()));
    if (!uses || uses->size() > kMostChosen) return file;
    file.unchanged = file.columns = std::move(*uses);
    if (auto named = interop::columnUses(*head, columns)) file.columns = std::move(*named);
    for (interop::NameUse& use : file.columns) {
        // Also with contradictory choices, so that they can be fixed.
        if (const auto found = chosen.find(use.raw); found != chosen.end())
            use.metric = found->second, use.known = true;
        if (!file.read) continue;
        for (const interop::NameUse& read : file.read->log.names)
            if (read.metric == use.metric && !use.metric.empty()) use.points += read.points;
    }
    return file;
}

ImportDialog::ImportDialog(QStringList files, QWidget* parent)
    : QDialog(parent), m_paths(std::move(files)), m_job(this) {
    setObjectName(QStringLiteral("importDialog"));
    setWindowTitle(tr("Import runs"));
    m_format = new QComboBox(this);
    m_format->setObjectName(QStringLiteral("importFormat"));
    m_format->addItem(tr("Detect automatically"), QString());
    for (const QString& format : qs(importFormats()).split(QStringLiteral(", "))) m_format->addItem(format, format);
    auto* formatLabel = new QLabel(tr("Format"), this);
    formatLabel->setBuddy(m_format);
    m_configButton = new QPushButton(tr("Config…"), this);
    m_configButton->setToolTip(tr(
        "Config of these runs, in any supported format: it provides the shape and the tokens per step where a log does not."));
    m_configText = quietLabel(tr("none"), this);
    m_state = quietLabel({}, this);
    m_state->setObjectName(QStringLiteral("importState"));
    auto* options = new QHBoxLayout;
    options->setSpacing(px(8));
    options->addWidget(formatLabel);
    options->addWidget(m_format);
    options->addSpacing(px(8));
    options->addWidget(m_configButton);
    options->addWidget(m_configText, 1);
    options->addWidget(m_state);

    using F = const File*;
    const auto known = [](F f) { return f->read.has_value(); };
    m_model = new RowsModel<F>(
        {
            {tr("File"),
             [](F f) { return shown(QFileInfo(f->path).fileName()); },
             Qt::AlignLeft,
             {},
             {},
             [](F f) { return shown(f->path); }},
            {tr("Format"), [known](F f) { return known(f) ? qs(f->read->log.format) : notApplicableText(); }},
            {tr("Runs"),
             [known](F f) {
                 return known(f) ? countText(static_cast<double>(f->read->runs.size())) : notApplicableText();
             },
             Qt::AlignRight},
            {tr("Steps"),
             [known](F f) {
                 return known(f) ? countText(static_cast<double>(numSteps(*f->read))) : notApplicableText();
             },
             Qt::AlignRight},
            {tr("Lines used"),
             [known](F f) {
                 return known(f) ? tr("%1 of %2")
                                       .arg(countText(static_cast<double>(f->read->log.used)),
                                            countText(static_cast<double>(f->read->log.lines)))
                                 : notApplicableText();
             },
             Qt::AlignRight},
            {tr("Skipped"),
             [known](F f) { return known(f) ? leftOut(*f->read) : errorText(f->read.error()); },
             Qt::AlignLeft,
             [known](F f) { return known(f) ? theme().text2 : theme().bad; },
             {},
             [known](F f) { return known(f) ? leftOut(*f->read) : qs(f->read.error().message); }},
        },
        this);
    m_names = new RowsModel<interop::NameUse>(
        {
            {tr("In the file"), [](const interop::NameUse& n) { return qs(n.raw); }},
            {tr("Imported as"), importedAs, Qt::AlignLeft,
             [](const interop::NameUse& n) { return n.metric.empty() ? theme().text3 : theme().text; }},
            {tr("Factor"), [](const interop::NameUse& n) { return QLocale().toString(n.factor, 'g', 6); },
             Qt::AlignRight},
            {tr("Values"), [](const interop::NameUse& n) { return countText(static_cast<double>(n.points)); },
             Qt::AlignRight},
        },
        this);
    const auto table = [this](QAbstractItemModel* model, const char* name, const QString& spoken) {
        auto* view = new QTableView(this);
        view->setObjectName(QString::fromLatin1(name));
        view->setAccessibleName(spoken);
        view->setModel(model);
        prepareTable(view);
        view->setSelectionMode(QAbstractItemView::SingleSelection);
        keepColumnsFitted(view);
        return view;
    };
    m_table = table(m_model, "importFiles", tr("Files"));
    m_namesTable = table(m_names, "importNames", tr("Names"));
    m_namesTitle = new QLabel(tr("Names"), this);
    m_namesTitle->setFont(fontOf(1.0, true));
    auto* cancel = new QPushButton(tr("Cancel"), this);
    m_import = new QPushButton(this);
    m_import->setObjectName(QStringLiteral("importNow"));
    m_import->setProperty("primary", true);
    for (QPushButton* button : {m_configButton, cancel}) button->setAutoDefault(false);
    m_import->setDefault(true);
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_import);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(px(16), px(16), px(16), px(16));
    layout->setSpacing(px(10));
    layout->addLayout(options);
    layout->addWidget(m_table, 1);
    layout->addWidget(m_namesTitle);
    layout->addWidget(m_namesTable, 1);
    layout->addLayout(buttons);
    resize(px(760), px(520));
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_format, &QComboBox::activated, this, &ImportDialog::read);
    connect(m_configButton, &QPushButton::clicked, this, &ImportDialog::chooseConfig);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &ImportDialog::showNames);
    connect(m_import, &QPushButton::clicked, this, [this] {
        std::vector<ImportedRun> runs;
        for (File& file : m_files)
            if (file.read) std::move(file.read->runs.begin(), file.read->runs.end(), std::back_inserter(runs));
        emit importWanted(runs);
        accept();
    });
    read();
}

void ImportDialog::read() {
    m_state->setText(tr("Reading…"));
    m_import->setEnabled(false);
    m_import->setText(tr("Import"));
    m_job.start(
        [paths = m_paths, format = m_format->currentData().toString().toStdString(), config = m_config,
         columns = m_columns](std::stop_token stop) {
            std::vector<File> files;
            for (const QString& path : paths) {
                if (stop.stop_requested()) break;
                const auto chosen = columns.find(path);
                files.push_back(readOne(path, format, config, chosen == columns.end() ? Columns() : chosen->second,
                                        [&stop] { return !stop.stop_requested(); }));
            }
            return files;
        },
        [this](std::vector<File> files) { show(std::move(files)); });
}

void ImportDialog::show(std::vector<File> files) {
    const int row = std::max(0, m_table->currentIndex().row());
    m_model->setRows({});
    m_files = std::move(files);
    std::vector<const File*> rows;
    std::size_t runs = 0;
    for (const File& file : m_files) {
        rows.push_back(&file);
        if (file.read) runs += file.read->runs.size();
    }
    m_model->setRows(std::move(rows));
    fitColumns(m_table);
    m_table->selectRow(row);  // this shows its names
    m_import->setEnabled(runs > 0);
    m_import->setText(tr("Import %Ln run(s)", nullptr, static_cast<int>(runs)));
}

const ImportDialog::File* ImportDialog::currentFile() const {
    const int row = m_table->currentIndex().row();
    return row >= 0 && row < static_cast<int>(m_files.size()) ? &m_files[static_cast<std::size_t>(row)] : nullptr;
}

void ImportDialog::showNames() {
    const File* file = currentFile();
    const bool isTable = file != nullptr && !file->columns.empty();
    const bool known = file != nullptr && (isTable || file->read);
    m_names->setRows(!known ? std::vector<interop::NameUse>() : isTable ? file->columns : file->read->log.names);
    m_namesTitle->setText(known ? tr("Names in %1").arg(shown(QFileInfo(file->path).fileName())) : tr("Names"));
    m_state->setText(isTable && !file->read ? tr("Choose the column of the steps, and a metric for each other column.")
                                            : QString());
    if (isTable) offerMetrics(*file);
    fitColumns(m_namesTable);
}

void ImportDialog::offerMetrics(const File& file) {
    for (std::size_t i = 0; i < file.columns.size(); ++i) {
        const std::string column = file.columns[i].raw;
        auto* metrics = new QComboBox(m_namesTable);
        metrics->setObjectName(QStringLiteral("importAs"));
        metrics->setAccessibleName(tr("%1 is imported as").arg(qs(column)));
        metrics->addItem(importedAs(file.unchanged[i]), {});
        metrics->addItem(tr("Do not import"), QString());
        metrics->addItem(metricText(kStepColumn), QString::fromLatin1(kStepColumn));
        for (const MetricName& metric : kDerivedMetrics)
            metrics->addItem(metricText(std::string(metric.name)), qs(metric.name));
        for (const MetricName& metric : kStepMetrics)
            metrics->addItem(metricText(std::string(metric.name)), qs(metric.name));
        const Columns& chosen = m_columns[file.path];
        const auto found = chosen.find(column);
        metrics->setCurrentIndex(found == chosen.end() ? 0 : metrics->findData(qs(found->second)));
        connect(metrics, &QComboBox::activated, this, [this, metrics, column, path = file.path, i] {
            const QVariant metric = metrics->currentData();
            if (metric.isValid())
                m_columns[path][column] = metric.toString().toStdString();
            else
                m_columns[path].erase(column);
            m_chosenRow = static_cast<int>(i);
            read();
        });
        m_namesTable->setIndexWidget(m_names->index(static_cast<int>(i), 1), metrics);
        if (m_chosenRow == static_cast<int>(i)) metrics->setFocus();
    }
    m_chosenRow = -1;
}

void ImportDialog::chooseConfig() {
    const QString file = askOpenFile(this, tr("Config of these runs"), {});
    if (file.isEmpty()) return;
    runOnce(
        this, [file](std::stop_token) { return readConfig(file.toStdString()); },
        [this, file](const Result<RunConfig>& config) {
            m_configText->setText(config ? shown(QFileInfo(file).fileName()) : errorText(config.error()));
            if (!config) return;
            m_config = *config;
            read();
        });
}

}  // namespace slipway::gui
