#include "app/gui/pages/devices_view.h"

#include "app/gui/look/theme.h"
#include "app/gui/pages/page.h"
#include "app/gui/text/format.h"
#include "app/gui/text/layout_words.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/pane.h"
#include "app/gui/widgets/spec_form.h"
#include "app/gui/widgets/tables.h"
#include "core/base/units.h"
#include "core/spec/run_config.h"

#include <QDate>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace slipway::gui {
namespace {

const std::string kPrefix = "cluster.";

QString optionalText(const std::optional<double>& value, std::string (*format)(double)) {
    return value ? qs(format(*value)) : unknownText();
}

/// Names and figures are never cut: the last column gets the remaining width.
void leaveRestToSource(QTableView* table) {
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->horizontalHeader()->setStretchLastSection(true);
}

/// Whether every word occurs in the text, ignoring case.
bool hasWords(const QString& text, const QString& words) {
    for (const QString& word : words.split(QLatin1Char(' '), Qt::SkipEmptyParts))
        if (!text.contains(word, Qt::CaseInsensitive)) return false;
    return true;
}

/// A figure with its unit, for display.
QString figureWords(const FieldInfo& info) {
    bool isNumber = false;
    const double value = exactText(info.defaultJson).toDouble(&isNumber);
    const QString words = valueWords(info.path, info.defaultJson);
    if (!isNumber) return words;
    if (info.unit == "bytes") return qs(formatBytes(value));
    if (info.unit == "B/s") return qs(formatBandwidth(value));
    if (info.unit == "FLOP/s") return qs(formatFlops(value));
    if (info.unit == "s") return secondsText(value);
    return info.unit.empty() ? words : words + QChar(0x202f) + messageText(info.unit);
}

/// Figures of a device in the form: its own, its node's and its links'.
std::vector<std::string> formFields(const ClusterSpec& device) {
    std::vector<std::string> paths;
    for (const FieldInfo& info : clusterFields(device))
        if (info.path != "cluster.num_nodes" && info.path != "cluster.device.name" && !info.label.empty() &&
            !info.path.starts_with("cluster.stack") && info.path != "cluster.calibration")
            paths.push_back(info.path);
    return paths;
}

}  // namespace

DevicesView::DevicesView(std::filesystem::path file, std::function<PlanDocument()> basePlan, QWidget* parent)
    : ToolView(parent), m_file(std::move(file)), m_basePlan(std::move(basePlan)) {
    auto* both = splitter(Qt::Horizontal, {makeLists(), makeDetail()}, {62, 38});
    both->setSizes({px(760), px(470)});
    both->setChildrenCollapsible(false);
    m_problem = new QLabel(this);
    m_problem->setObjectName(QStringLiteral("devicesProblem"));
    m_problem->setWordWrap(true);
    m_problem->setContentsMargins(px(16), px(8), px(16), px(8));
    setInk(m_problem, theme().bad);
    m_problem->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_problem);
    column->addWidget(both, 1);
    load();
}

QWidget* DevicesView::makeLists() {
    using D = ClusterSpec;
    m_filter = new QLineEdit(this);
    m_filter->setObjectName(QStringLiteral("deviceFilter"));
    m_filter->setAccessibleName(tr("Filter of devices and prices"));
    m_filter->setPlaceholderText(tr("Filter, such as nvidia 80"));
    m_filter->setFixedWidth(px(200));
    m_filter->setClearButtonEnabled(true);
    const auto whose = [](const D& d) {
        return shippedDevice(d.device.name) == nullptr ? tr("yours")
               : usersFields(d).empty()                ? tr("library")
                                                       : tr("changed by you");
    };
    const auto isUsers = [](const D& d) { return !usersFields(d).empty(); };
    m_devices = new RowsModel<D>(
        {{tr("Device"), [](const D& d) { return qs(d.device.name); }, Qt::AlignLeft, {}, isUsers},
         {tr("Memory"), [](const D& d) { return qs(formatBytes(d.device.memoryBytes)); }, Qt::AlignRight},
         {tr("Bandwidth"), [](const D& d) { return qs(formatBandwidth(d.device.memoryBytesPerSecond)); },
          Qt::AlignRight},
         {tr("bf16 peak"), [](const D& d) { return optionalText(d.device.peakBf16Flops, formatFlops); },
          Qt::AlignRight},
         {tr("Power, W"),
          [](const D& d) { return d.device.powerWatts ? fixedText(*d.device.powerWatts, 0) : unknownText(); },
          Qt::AlignRight},
         {tr("A node"), [](const D& d) { return QString::number(d.devicesPerNode); }, Qt::AlignRight},
         {tr("Link"), [](const D& d) { return qs(formatBandwidth(d.intraNode.bytesPerSecond)); }, Qt::AlignRight},
         {tr("Figures"), whose, Qt::AlignLeft, {}, isUsers}},
        this);
    m_deviceTable = new QTableView(this);
    m_deviceTable->setObjectName(QStringLiteral("devices"));
    m_deviceTable->setAccessibleName(tr("Devices"));
    m_deviceTable->setModel(m_devices);
    prepareTable(m_deviceTable);
    keepColumnsFitted(m_deviceTable, {6, 4, 2});
    auto* devices = new Pane(tr("Devices"), m_deviceTable, this);
    devices->setFlush(true);
    devices->addControl(m_filter);
    using P = ListedPrice;
    const auto isOwn = [this](const P& p) {
        return std::any_of(m_own.prices.begin(), m_own.prices.end(),
                           [&p](const P& own) { return own.device == p.device && own.offer == p.offer; });
    };
    m_prices = new RowsModel<P>(
        {{tr("Device"), [](const P& p) { return qs(p.device); }, Qt::AlignLeft, {}, isOwn},
         {tr("Offer"), [](const P& p) { return qs(p.offer); }, Qt::AlignLeft, {}, isOwn},
         {tr("Price per hour"),
          [](const P& p) { return qs(p.currency) + QChar(0x202f) + qs(formatSignificant(p.pricePerHour, 4)); },
          Qt::AlignRight,
          {},
          isOwn},
         {tr("Date"), [](const P& p) { return qs(p.date); }},
         {tr("Source"),
          [](const P& p) { return qs(p.source); },
          Qt::AlignLeft,
          {},
          {},
          [](const P& p) { return qs(p.source); }}},
        this);
    m_priceTable = new QTableView(this);
    m_priceTable->setObjectName(QStringLiteral("prices"));
    m_priceTable->setAccessibleName(tr("Prices"));
    m_priceTable->setModel(m_prices);
    prepareTable(m_priceTable);
    leaveRestToSource(m_priceTable);
    auto* priceBody = new QWidget(this);
    auto* column = new QVBoxLayout(priceBody);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_priceTable, 1);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(px(16), px(6), px(16), px(6));
    row->setSpacing(px(8));
    const auto edit = [&](const char* name, const QString& label, int width) {
        auto* line = new QLineEdit(priceBody);
        line->setObjectName(QString::fromLatin1(name));
        line->setAccessibleName(label);
        line->setPlaceholderText(label);
        line->setMinimumHeight(px(24));
        if (width > 0) line->setFixedWidth(px(width));
        row->addWidget(line, width > 0 ? 0 : 1);
        return line;
    };
    m_offer = edit("priceOffer", tr("Offer"), 110);
    m_price = edit("priceValue", tr("Price per hour"), 110);
    m_currency = edit("priceCurrency", tr("Currency"), 72);
    m_source = edit("priceSource", tr("Source"), 0);
    auto* add = new QPushButton(tr("Add price"), priceBody);
    add->setObjectName(QStringLiteral("addPrice"));
    m_removePrice = new QPushButton(tr("Remove"), priceBody);
    m_removePrice->setObjectName(QStringLiteral("removePrice"));
    row->addWidget(add);
    row->addWidget(m_removePrice);
    column->addLayout(row);
    auto* prices = new Pane(tr("Prices"), priceBody, this);
    prices->setSideText(tr("of one device for one hour; yours are bold"));
    prices->setFlush(true);
    auto* lists = splitter(Qt::Vertical, {devices, prices}, {58, 42});
    lists->setSizes({px(420), px(300)});
    lists->setChildrenCollapsible(false);
    connect(m_filter, &QLineEdit::textChanged, this, [this] {
        showDevices();
        showPrices();
    });
    connect(m_deviceTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& now) {
                if (!now.isValid()) return;
                m_chosen = m_devices->rows()[static_cast<std::size_t>(now.row())].device.name;
                showChosen();
            });
    const auto evaluate = [this, isOwn] {
        const int at = m_priceTable->currentIndex().row();
        m_removePrice->setEnabled(at >= 0 && at < m_prices->rowCount() &&
                                  isOwn(m_prices->rows()[static_cast<std::size_t>(at)]));
    };
    connect(m_priceTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this, evaluate);
    connect(m_prices, &QAbstractItemModel::modelReset, this, evaluate, Qt::QueuedConnection);
    connect(add, &QPushButton::clicked, this, &DevicesView::addPrice);
    connect(m_removePrice, &QPushButton::clicked, this, &DevicesView::removePrice);
    for (QLineEdit* line : {m_offer, m_price, m_currency, m_source})
        connect(line, &QLineEdit::returnPressed, this, &DevicesView::addPrice);
    return lists;
}

QWidget* DevicesView::makeDetail() {
    using F = FigureRow;
    m_form = new SpecForm(this);
    m_form->setObjectName(QStringLiteral("deviceForm"));
    m_form->addSection(QStringLiteral("device"), tr("Figures to change"), formFields({}));
    connect(m_form, &SpecForm::edited, this, &DevicesView::edited);
    m_figures = new RowsModel<F>(
        {{tr("Figure"), [](const F& f) { return f.name; }, Qt::AlignLeft, {}, [](const F& f) { return f.isUsers; }},
         {tr("Value"), [](const F& f) { return f.value; }, Qt::AlignRight, {}, [](const F& f) { return f.isUsers; }},
         {tr("Source"),
          [](const F& f) { return f.source; },
          Qt::AlignLeft,
          {},
          {},
          [](const F& f) { return f.source; }}},
        this);
    m_figureTable = new QTableView(this);
    m_figureTable->setObjectName(QStringLiteral("deviceFigures"));
    m_figureTable->setAccessibleName(tr("Figures with their sources"));
    m_figureTable->setModel(m_figures);
    prepareTable(m_figureTable);
    leaveRestToSource(m_figureTable);
    m_detailPane = new Pane(QString(), m_figureTable, this);
    m_detailPane->setFlush(true);
    m_restore = linkButton(tr("Back to the library's"), m_detailPane);
    m_restore->setObjectName(QStringLiteral("restoreDevice"));
    connect(m_restore, &QPushButton::clicked, this, &DevicesView::restore);
    m_detailPane->addControl(m_restore);
    auto* rows = splitter(Qt::Vertical, {m_detailPane, m_form}, {46, 54});
    rows->setSizes({px(330), px(390)});
    rows->setChildrenCollapsible(false);
    return rows;
}

void DevicesView::load() {
    const auto own = readUserHardware(m_file);
    m_problem->setVisible(!own);
    if (!own) m_problem->setText(wordJoined(tr("Your devices cannot be read: %1").arg(errorText(own.error()))));
    m_own = own.value_or(UserHardware{});
    useUserHardware(m_own);
    showDevices();
    showPrices();
}

void DevicesView::showDevices() {
    std::vector<ClusterSpec> shown;
    int at = 0;
    for (const ClusterSpec& device : devicePresets()) {
        if (!hasWords(qs(device.device.name), m_filter->text())) continue;
        if (device.device.name == m_chosen) at = static_cast<int>(shown.size());
        shown.push_back(device);
    }
    const bool isEmpty = shown.empty();
    m_devices->setRows(std::move(shown));
    fitColumns(m_deviceTable, {6, 4, 2});
    if (!isEmpty) m_deviceTable->setCurrentIndex(m_devices->index(at, 0));
    emit headerChanged();
}

void DevicesView::showChosen() {
    const ClusterSpec* device = findDevicePreset(m_chosen);
    if (device == nullptr) return;
    const std::set<std::string> users = usersFields(*device);
    std::vector<FigureRow> rows;
    FieldInfos fields = clusterFields(*device);
    for (const FieldInfo& info : fields) {
        const std::string path = info.path.substr(kPrefix.size());
        if (info.defaultJson == "null" || info.label.empty() || info.path == "cluster.num_nodes" ||
            path == "device.source" || path == "device.source_date" || path == "calibration")
            continue;
        rows.push_back({fieldLabel(info.path), figureWords(info),
                        users.contains(path) ? tr("you") : qs(sourceOfFigure(device->device, path)),
                        users.contains(path)});
    }
    m_figures->setRows(std::move(rows));
    m_detailPane->setTitle(qs(m_chosen));
    m_restore->setEnabled(!users.empty());
    m_restore->setText(shippedDevice(m_chosen) == nullptr ? tr("Remove this device") : tr("Back to the library's"));
    m_form->setFields(fields);
    if (const ClusterSpec* shipped = shippedDevice(m_chosen)) m_form->setReference(clusterFields(*shipped));
    m_form->setIssues({});
    emit headerChanged();
}

void DevicesView::showPrices() {
    std::vector<ListedPrice> shown;
    for (const ListedPrice& price : listedPrices())
        if (hasWords(qs(price.device + " " + price.offer), m_filter->text())) shown.push_back(price);
    m_prices->setRows(std::move(shown));
    if (m_prices->rowCount() > 0) m_priceTable->setCurrentIndex(m_prices->index(0, 0));
}

bool DevicesView::keep(const UserHardware& next) {
    // Changes by another program in the meantime must not be overwritten with an older state of the file.
    if (const auto written = writeUserHardware(m_file, next); !written) {
        m_problem->setText(wordJoined(errorText(written.error())));
        m_problem->show();
        emit said(errorText(written.error()));
        return false;
    }
    m_problem->hide();
    m_own = next;
    useUserHardware(m_own);
    showDevices();
    showPrices();
    emit hardwareChanged();
    return true;
}

void DevicesView::edited(const QString& path, const QString& text) {
    const std::string full = path.toStdString();
    const auto changed = changedDevice(m_chosen, full.substr(kPrefix.size()), text.toStdString());
    if (!changed) {
        m_form->setFieldIssues(full,
                               {issueOf(Severity::Error, changed.error().code, full, changed.error().sentence())});
        return;
    }
    const auto now = readUserHardware(m_file);
    if (!now) return emit said(errorText(now.error()));
    UserHardware next = *now;
    if (usersFields(*changed).empty())
        dropDevice(next, m_chosen);
    else
        putDevice(next, *changed);
    if (keep(next)) emit said(tr("%1: %2 is yours now; %3").arg(qs(m_chosen), fieldLabel(full), qs(m_file.string())));
}

void DevicesView::restore() {
    const auto now = readUserHardware(m_file);
    if (!now) return emit said(errorText(now.error()));
    UserHardware next = *now;
    if (dropDevice(next, m_chosen) && keep(next))
        emit said(tr("%1: the library's figures are back.").arg(qs(m_chosen)));
}

void DevicesView::addPrice() {
    bool isNumber = false;
    const double price = m_price->text().trimmed().toDouble(&isNumber);
    const auto now = readUserHardware(m_file);
    if (!now) return emit said(errorText(now.error()));
    if (!isNumber || price < 0 || m_offer->text().trimmed().isEmpty() || m_currency->text().trimmed().isEmpty() ||
        m_source->text().trimmed().isEmpty()) {
        m_problem->setText(
            wordJoined(tr("A price needs an offer, a number of at least 0, a currency such as USD and a source.")));
        m_problem->show();
        return;
    }
    ListedPrice own{m_chosen,
                    m_offer->text().trimmed().toStdString(),
                    price,
                    m_currency->text().trimmed().toStdString(),
                    m_source->text().trimmed().toStdString(),
                    QDate::currentDate().toString(Qt::ISODate).toStdString()};
    UserHardware next = *now;
    std::erase_if(next.prices, [&own](const ListedPrice& p) { return p.device == own.device && p.offer == own.offer; });
    next.prices.push_back(own);
    if (!keep(next)) return;
    for (QLineEdit* line : {m_offer, m_price}) line->clear();
    emit said(tr("%1: price of %2 added.").arg(qs(own.device), qs(own.offer)));
}

void DevicesView::removePrice() {
    const int at = m_priceTable->currentIndex().row();
    const auto now = readUserHardware(m_file);
    if (at < 0 || at >= m_prices->rowCount() || !now) return;
    const ListedPrice price = m_prices->rows()[static_cast<std::size_t>(at)];
    UserHardware next = *now;
    if (std::erase_if(next.prices, [&price](const ListedPrice& p) {
            return p.device == price.device && p.offer == price.offer;
        }) > 0)
        keep(next);
}

QString DevicesView::sideText() const {
    return tr("%1 devices, %2 with figures of yours; %3")
        .arg(devicePresets().size())
        .arg(m_own.devices.size())
        .arg(qs(m_file.string()));
}

QString DevicesView::tableText() const {
    QString text;
    for (const QAbstractItemModel* model :
         {static_cast<const QAbstractItemModel*>(m_devices), static_cast<const QAbstractItemModel*>(m_prices)}) {
        for (int row = -1; row < model->rowCount(); ++row) {
            QStringList cells;
            for (int column = 0; column < model->columnCount(); ++column)
                cells << tabCell(row < 0 ? model->headerData(column, Qt::Horizontal).toString()
                                         : model->index(row, column).data().toString());
            text += cells.join('\t') + '\n';
        }
        text += '\n';
    }
    return text;
}

void DevicesView::find() {
    m_filter->setFocus();
    m_filter->selectAll();
}

void DevicesView::primary() {
    if (const ClusterSpec* device = findDevicePreset(m_chosen))
        emit planWanted(tr("Plan on %1").arg(qs(m_chosen)), withCluster(m_basePlan(), *device));
}

}  // namespace slipway::gui
