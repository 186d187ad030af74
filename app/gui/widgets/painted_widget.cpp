#include "app/gui/widgets/painted_widget.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/widgets/read_out.h"
#include "app/gui/widgets/tables.h"
#include "core/base/units.h"
#include "core/report/drawing.h"

#include <QtSvg/QSvgGenerator>

#include <QAccessibleWidget>
#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDialog>
#include <QFileDialog>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace slipway::gui {
namespace {

class PaintedAccessible : public QAccessibleWidget {
public:
    explicit PaintedAccessible(QWidget* widget) : QAccessibleWidget(widget, QAccessible::Graphic) {}

    QString text(QAccessible::Text kind) const override {
        const auto* painted = qobject_cast<const PaintedWidget*>(object());
        if (painted && kind == QAccessible::Description) {
            const QString summary = painted->summary();
            return summary.isEmpty() ? PaintedWidget::tr("No data to show.") : summary;
        }
        if (painted && kind == QAccessible::Value) return painted->valueAtCursor();
        return QAccessibleWidget::text(kind);
    }
};

QAccessibleInterface* makeAccessible(const QString&, QObject* object) {
    auto* painted = qobject_cast<PaintedWidget*>(object);
    return painted ? new PaintedAccessible(painted) : nullptr;  // the accessibility cache owns it
}

}  // namespace

void installPaintedAccessibility() {
    QAccessible::installFactory(makeAccessible);
}

QString DataTable::tabSeparated() const {
    QString out;
    const auto add = [&out](const QStringList& row) {
        QStringList cells;
        for (const QString& cell : row) cells << tabCell(cell);
        out += cells.join('\t') + '\n';
    };
    add(headers);
    for (const QStringList& row : rows) add(row);
    return out;
}

QString DataTable::commaSeparated() const {
    QString out;
    const auto add = [&out](const QStringList& row) {
        QStringList cells;
        for (const QString& cell : row) {
            QString text = tabCell(cell);
            if (text.contains(',') || text.contains('"')) text = '"' + text.replace('"', QStringLiteral("\"\"")) + '"';
            cells << text;
        }
        out += cells.join(',') + '\n';
    };
    add(headers);
    for (const QStringList& row : rows) add(row);
    return out;
}

std::function<QString(QWidget*, const QString&, const QString&)>& fileQuestion() {
    static std::function<QString(QWidget*, const QString&, const QString&)> ask =
        [](QWidget* parent, const QString& title, const QString& suggestion) {
            return QFileDialog::getSaveFileName(parent, title, suggestion);
        };
    return ask;
}

namespace {

bool saveSvg(QWidget& widget, const QString& file, const std::function<void(QPainter&)>& paint) {
    // Qt 6.4 writes title and description unescaped, later versions escape them: they are inserted afterwards.
    static const QString title = QStringLiteral("[title]"), description = QStringLiteral("[description]");
    QBuffer text;
    QSvgGenerator generator;
    generator.setOutputDevice(&text);
    generator.setSize(widget.size());
    generator.setViewBox(widget.rect());
    generator.setResolution(widget.logicalDpiX());
    generator.setTitle(title);
    generator.setDescription(description);
    QPainter painter;
    if (!painter.begin(&generator)) return false;
    painter.fillRect(widget.rect(), theme().panel);
    paint(painter);
    if (!painter.end()) return false;
    const auto* painted = qobject_cast<PaintedWidget*>(&widget);
    const auto put = [&](const QString& place, const QString& words) {
        const QByteArray tag = place.toUtf8();
        if (const auto at = text.buffer().indexOf(tag); at >= 0)
            text.buffer().replace(at, tag.size(), words.toHtmlEscaped().toUtf8());
    };
    put(description, painted ? painted->summary() : widget.accessibleDescription());
    put(title, widget.accessibleName());
    QSaveFile out(file);
    return out.open(QIODevice::WriteOnly) && out.write(text.buffer()) == text.size() && out.commit();
}

bool savePicture(QWidget& widget, const QString& file, const std::function<void(QPainter&)>& paint) {
    if (file.endsWith(QStringLiteral(".svg"), Qt::CaseInsensitive)) return saveSvg(widget, file, paint);
    if (!file.endsWith(QStringLiteral(".pdf"), Qt::CaseInsensitive)) return widget.grab().save(file);
    constexpr double kPointsPerPixel = 0.75;  // 96 pixels per inch
    QPdfWriter writer(file);
    writer.setPageSize(QPageSize(QSizeF(widget.size()) * kPointsPerPixel, QPageSize::Point));
    writer.setPageMargins({0, 0, 0, 0});
    writer.setResolution(96);
    QPainter painter;
    if (!painter.begin(&writer)) return false;
    painter.fillRect(QRect(QPoint(0, 0), widget.size()), theme().panel);
    paint(painter);
    return painter.end();
}

bool saveData(const QString& file, const DataTable& table) {
    QSaveFile out(file);
    return out.open(QIODevice::WriteOnly) && out.write(table.commaSeparated().toUtf8()) >= 0 && out.commit();
}

}  // namespace

void addSaveActions(QMenu& menu, QWidget* widget, std::function<void(QPainter&)> paint,
                    std::function<DataTable()> data) {
    const auto tell = [widget](bool saved, const QString& file) {
        if (!saved)
            QMessageBox::warning(
                widget, PaintedWidget::tr("Not saved"),
                PaintedWidget::tr("%1 could not be written; check the folder and the space left.").arg(shown(file)));
    };
    const QString name =
        widget->accessibleName().isEmpty() ? QStringLiteral("chart") : fileName(widget->accessibleName().toStdString());
    menu.addAction(PaintedWidget::tr("Save picture…"), widget, [=] {
        const QString file =
            fileQuestion()(widget, PaintedWidget::tr("Save as PNG, SVG or PDF"), name + QStringLiteral(".png"));
        if (!file.isEmpty()) tell(savePicture(*widget, file, paint), file);
    });
    menu.addAction(PaintedWidget::tr("Save data…"), widget, [=] {
        const QString file = fileQuestion()(widget, PaintedWidget::tr("Save as CSV"), name + QStringLiteral(".csv"));
        if (!file.isEmpty()) tell(saveData(file, data()), file);
    });
}

PaintedWidget::PaintedWidget(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void PaintedWidget::changed() {
    m_still = QPixmap();
    update();
}

void PaintedWidget::paintEvent(QPaintEvent*) {
    const qreal ratio = devicePixelRatioF();
    if (m_still.isNull() && !size().isEmpty()) {
        m_still = QPixmap(size() * ratio);
        m_still.setDevicePixelRatio(ratio);
        m_still.fill(Qt::transparent);
        QPainter painter(&m_still);
        painter.setFont(font());
        paintStill(painter);
    }
    QPainter painter(this);
    painter.drawPixmap(0, 0, m_still);
    paintMoving(painter);
    if (hasFocus() && window()->property("keyboardFocus").toBool()) {
        painter.setPen(QPen(theme().accent, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void PaintedWidget::resizeEvent(QResizeEvent*) {
    changed();
}

void PaintedWidget::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
        event->type() == QEvent::StyleChange)
        changed();
    QWidget::changeEvent(event);
}

void PaintedWidget::paintSummary(QPainter& painter) const {
    painter.setFont(fontOf(kSideSize));
    painter.setPen(theme().text2);
    painter.drawText(rect().adjusted(px(8), px(8), -px(8), -px(8)),
                     static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, wordJoined(summary()));
}

void PaintedWidget::paintTip(QPainter& painter, const QPointF& at, const QStringList& lines) const {
    paintReadOut(painter, placeReadOut(rect(), at, lines));
}

void PaintedWidget::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    if (m_addToMenu) {
        m_addToMenu(menu);
        menu.addSeparator();
    }
    menu.addAction(tr("Copy picture"), this, [this] { QApplication::clipboard()->setPixmap(grab()); });
    menu.addAction(tr("Copy data"), this, [this] { QApplication::clipboard()->setText(dataTable().tabSeparated()); });
    addSaveActions(
        menu, this, [this](QPainter& painter) { paintStill(painter); }, [this] { return dataTable(); });
    menu.addAction(tr("Show as table") + QStringLiteral("\tT"), this,
                   [this] { showDataTable(this, accessibleName(), dataTable()); });
    menu.exec(event->globalPos());
}

void PaintedWidget::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_T && event->modifiers() == Qt::NoModifier)
        showDataTable(this, accessibleName(), dataTable());
    else
        QWidget::keyPressEvent(event);
}

void showDataTable(QWidget* parent, const QString& title, const DataTable& data) {
    auto* dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName(QStringLiteral("dataTableDialog"));
    dialog->setWindowTitle(title);
    auto* table = new QTableWidget(static_cast<int>(data.rows.size()), static_cast<int>(data.headers.size()), dialog);
    table->setHorizontalHeaderLabels(data.headers);
    table->setAccessibleName(title);
    prepareTable(table);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    for (int row = 0; row < data.rows.size(); ++row)
        for (int column = 0; column < data.rows[row].size(); ++column)
            table->setItem(row, column, new QTableWidgetItem(data.rows[row][column]));
    if (!data.rows.isEmpty()) table->setCurrentCell(0, 0);
    table->horizontalHeader()->setStretchLastSection(true);
    table->resizeColumnsToContents();
    auto* layout = new QVBoxLayout(dialog);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(table);
    dialog->resize(px(560), px(360));
    dialog->open();
}

void fillHatch(QPainter& painter, const QRectF& rect, const QColor& ink) {
    if (rect.width() <= 0 || rect.height() <= 0) return;
    painter.save();
    painter.fillRect(rect, theme().sunken);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(ink.isValid() ? ink : theme().line2, 0.8));
    // Lines are aligned to the widget's grid, so that adjacent areas join without a seam.
    const double gap = px(5);
    const double height = rect.height();
    QVector<QLineF> lines;
    for (double x = std::floor((rect.left() - height) / gap) * gap; x < rect.right() + gap; x += gap)
        if (const double from = std::max(x, rect.left()), to = std::min(x + height, rect.right()); from < to)
            lines.append(QLineF(from, rect.bottom() - (from - x), to, rect.bottom() - (to - x)));
    painter.drawLines(lines);
    painter.restore();
}

QVector<qreal> dashOf(int index) {
    switch (index % 5) {
        case 1: return {7 / 1.6, 3 / 1.6};
        case 2: return {2 / 1.6, 3 / 1.6};
        case 3: return {7 / 1.6, 3 / 1.6, 2 / 1.6, 3 / 1.6};
        case 4: return {10 / 1.6, 4 / 1.6};
        default: return {};
    }
}

QVector<double> roundTicks(double low, double high, int wanted, bool whole) {
    QVector<double> out;
    if (!(high > low) || !std::isfinite(low) || !std::isfinite(high) || wanted < 1) return out;
    if (differByRounding(low, high)) return {low};  // a step below the last digit never advances
    const double rough = (high - low) / wanted;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    // The round step that gives closest to the requested number of ticks.
    double step = power;
    for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
        const double candidate = factor * power;
        if (whole && candidate != std::floor(candidate)) continue;
        if (std::fabs(std::log(candidate / rough)) < std::fabs(std::log(step / rough))) step = candidate;
    }
    if (whole) step = std::max(std::ceil(step), 1.0);
    const double first = std::ceil(low / step - 1e-9);
    for (double i = first; i * step <= high + step * 1e-9; ++i) out.append(i == 0 ? 0.0 : i * step);  // never −0
    return out;
}

QVector<double> roundByteTicks(double low, double high, int wanted) {
    double unit = 1;
    for (const double larger : {kKiB, kMiB, kGiB, kTiB})
        if (larger < high) unit = larger;
    QVector<double> ticks = roundTicks(low / unit, high / unit, wanted);
    for (double& tick : ticks) tick *= unit;
    return ticks;
}

}  // namespace slipway::gui
