#include "app/gui/widgets/idea_picture.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "core/base/units.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace slipway::gui {
namespace {

constexpr int kMostRanks = 8;  // drawn; more are said in words

struct Part {
    QString name;
    Hue hue;
    bool isSharded;
};

/// ZeRO deals out the optimizer, then the gradients, then the weights.
std::array<Part, 3> parts(std::int64_t zeroStage) {
    return {Part{IdeaPicture::tr("Weights"), Hue::Blue, zeroStage >= 3},
            Part{IdeaPicture::tr("Gradients"), Hue::Sky, zeroStage >= 2},
            Part{IdeaPicture::tr("Optimizer"), Hue::Violet, zeroStage >= 1}};
}

int ranksDrawn(std::int64_t ranks) {
    return static_cast<int>(std::clamp<std::int64_t>(ranks, 1, kMostRanks));
}

/// A matrix with some of its columns or rows in colour, its name above.
void paintMatrix(QPainter& painter, const QRectF& rect, const QString& name, bool byColumns, int pieces, int hueFrom) {
    const Theme& t = theme();
    for (int i = 0; i < pieces; ++i) {
        const QRectF piece =
            byColumns
                ? QRectF(rect.left() + rect.width() * i / pieces, rect.top(), rect.width() / pieces, rect.height())
                : QRectF(rect.left(), rect.top() + rect.height() * i / pieces, rect.width(), rect.height() / pieces);
        const QColor fill = pieces == 1 ? t.sunken : t.series(hueFrom + i);
        painter.fillRect(piece.adjusted(1, 1, -1, -1), fill);
        if (pieces == 1) continue;
        painter.setPen(inkOn(fill));
        painter.drawText(piece, Qt::AlignCenter, IdeaPicture::tr("rank %1").arg(i));
    }
    painter.setPen(t.line2);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect);
    painter.setPen(t.text);
    painter.drawText(QRectF(rect.left() - px(60), rect.top() - lineHeight(18), rect.width() + px(120), lineHeight(16)),
                     Qt::AlignCenter, name);
}

}  // namespace

IdeaPicture::IdeaPicture(IdeaKind kind, std::shared_ptr<const Plan> plan, QWidget* parent)
    : PaintedWidget(parent), m_kind(kind), m_plan(std::move(plan)) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

IdeaPicture::Roof IdeaPicture::roof() const {
    Roof out;
    out.flops = m_plan->cluster.device.peakFlops(m_plan->config.train.precision).value_or(0);
    out.bytesPerSecond = m_plan->cluster.device.memoryBytesPerSecond;
    if (out.flops > 0 && out.bytesPerSecond > 0) out.ridge = out.flops / out.bytesPerSecond;
    return out;
}

QString IdeaPicture::summary() const {
    const ParallelLayout& p = m_plan->config.parallel;
    switch (m_kind) {
        case IdeaKind::Shards:
            return p.zeroStage == 0
                       ? tr("Each of %n data-parallel rank(s) keeps weights, gradients and optimizer states whole.",
                            nullptr, static_cast<int>(p.dp))
                       : tr("ZeRO %1 deals out states over %n data-parallel rank(s).", nullptr, static_cast<int>(p.dp))
                             .arg(p.zeroStage);
        case IdeaKind::Ring:
            return tr("A ring of %n rank(s): each sends one piece to its neighbour at a time.", nullptr,
                      static_cast<int>(std::max(p.cp, p.dp)));
        case IdeaKind::Matrices:
            return tr("A by columns, B by rows: both ranks need X whole, and their two results are added.");
        case IdeaKind::Roofline: {
            const Roof r = roof();
            return r.ridge > 0 ? tr("%1 computes at its peak from %2 FLOP per byte on.")
                                     .arg(qs(m_plan->cluster.device.name), qs(formatSignificant(r.ridge, 3)))
                               : tr("The peak of this device is unknown.");
        }
    }
    return {};
}

DataTable IdeaPicture::dataTable() const {
    if (m_kind == IdeaKind::Roofline) {
        const Roof r = roof();
        return {{tr("Figure"), tr("Value")},
                {{tr("Peak, FLOP/s"), shortText(r.flops)},
                 {tr("Memory, bytes/s"), shortText(r.bytesPerSecond)},
                 {tr("FLOP per byte at the ridge"), qs(formatSignificant(r.ridge, 4))}}};
    }
    DataTable table{{tr("Part"), tr("On a rank")}, {}};
    const ParallelLayout& p = m_plan->config.parallel;
    if (m_kind == IdeaKind::Shards)
        for (const Part& part : parts(p.zeroStage))
            table.rows.append({part.name, part.isSharded ? QStringLiteral("1/%1").arg(p.dp) : QStringLiteral("1")});
    else
        table.rows.append({summary(), {}});
    return table;
}

QSize IdeaPicture::sizeHint() const {
    return {px(560), px(m_kind == IdeaKind::Ring ? 210 : 190)};
}

QSize IdeaPicture::minimumSizeHint() const {
    return {px(300), sizeHint().height()};
}

void IdeaPicture::paintStill(QPainter& painter) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(fontOf(kAxisSize));
    switch (m_kind) {
        case IdeaKind::Shards: return paintShards(painter);
        case IdeaKind::Ring: return paintRing(painter);
        case IdeaKind::Matrices: return paintMatrices(painter);
        case IdeaKind::Roofline: return roof().ridge > 0 ? paintRoofline(painter) : paintSummary(painter);
    }
}

// One column per rank, one row per part: a whole part is a full bar, a shard is its own piece of it.
void IdeaPicture::paintShards(QPainter& painter) const {
    const Theme& t = theme();
    const ParallelLayout& p = m_plan->config.parallel;
    const int ranks = ranksDrawn(p.dp);
    const double line = lineHeight(16, kAxisSize), left = px(84), gap = px(8);
    const double column = (width() - left - px(4)) / ranks - gap;
    const double row = (height() - 2 * line - px(8)) / 3 - gap;
    for (int rank = 0; rank < ranks; ++rank) {
        painter.setPen(t.text2);
        painter.drawText(QRectF(left + rank * (column + gap), 0, column, line), Qt::AlignCenter,
                         column > px(44) ? tr("rank %1").arg(rank) : QString::number(rank));
    }
    double y = line + px(4);
    for (const Part& part : parts(p.zeroStage)) {
        painter.setPen(t.text);
        painter.drawText(QRectF(0, y, left - px(8), row), Qt::AlignLeft | Qt::AlignVCenter, part.name);
        for (int rank = 0; rank < ranks; ++rank) {
            const QRectF whole(left + rank * (column + gap), y, column, row);
            painter.fillRect(whole, t.sunken);
            painter.fillRect(
                part.isSharded ? QRectF(whole.left() + rank * column / ranks, y, column / ranks, row) : whole,
                t.hue(part.hue));
        }
        y += row + gap;
    }
    painter.setPen(t.text2);
    const QString more = p.dp > ranks ? tr("%1 of %2 ranks drawn").arg(ranks).arg(p.dp) : QString();
    painter.drawText(QRectF(left, height() - line, width() - left, line), Qt::AlignLeft | Qt::AlignVCenter, more);
}

void IdeaPicture::paintRing(QPainter& painter) const {
    const Theme& t = theme();
    const ParallelLayout& p = m_plan->config.parallel;
    const auto all = std::max<std::int64_t>(std::max(p.cp, p.dp), 2);
    const int ranks = ranksDrawn(all);
    const QPointF middle(width() / 2.0, height() / 2.0);
    const double radius = height() / 2.0 - px(24), dot = px(15);
    const auto at = [&](int rank) {
        const double angle = 2 * std::numbers::pi * rank / ranks - std::numbers::pi / 2;
        return middle + QPointF(2.1 * radius * std::cos(angle), radius * std::sin(angle));
    };
    for (int rank = 0; rank < ranks; ++rank) {
        const QPointF from = at(rank), to = at((rank + 1) % ranks);
        const QPointF way = to - from;
        const double length = std::hypot(way.x(), way.y());
        const QPointF unit = way / length, side(-unit.y(), unit.x());
        const QPointF shift = ranks == 2 ? side * px(6) : QPointF();
        const QPointF begin = from + unit * (dot + px(2)) + shift, end = to - unit * (dot + px(4)) + shift;
        painter.setPen(QPen(t.hue(Hue::Rose), 1.6));
        painter.drawLine(begin, end);
        painter.setBrush(t.hue(Hue::Rose));
        painter.drawPolygon(QPolygonF() << end << end - unit * px(7) + side * px(3.5)
                                        << end - unit * px(7) - side * px(3.5));
    }
    for (int rank = 0; rank < ranks; ++rank) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(t.series(0));
        painter.drawEllipse(at(rank), dot, dot);
        painter.setPen(inkOn(t.series(0)));
        painter.drawText(QRectF(at(rank) - QPointF(dot, dot), QSizeF(2 * dot, 2 * dot)), Qt::AlignCenter,
                         QString::number(rank));
    }
    painter.setPen(t.text2);
    const QRectF box(middle.x() - px(90), middle.y() - px(34), px(180), px(68));
    const QString rounds = tr("%1 − 1 rounds there,\n%1 − 1 back").arg(all);
    painter.drawText(
        box, Qt::AlignCenter,
        all > ranks ? rounds + QLatin1Char('\n') + tr("%1 of %2 ranks drawn").arg(ranks).arg(all) : rounds);
}

// X · A, A by columns; then · B, B by rows; the results of the ranks are added.
void IdeaPicture::paintMatrices(QPainter& painter) const {
    const Theme& t = theme();
    const double size = std::min<double>(height() - lineHeight(18) - px(26), (width() - px(120)) / 4.0);
    const double top = lineHeight(18) + px(6);
    const double step = size + (width() - 4 * size) / 3.4;
    const std::array<QString, 3> signs{QStringLiteral("×"), QStringLiteral("×"), QStringLiteral("=")};
    const auto at = [&](int i) { return QRectF(i * step, top, size, size); };
    paintMatrix(painter, at(0), tr("X, whole on both"), true, 1, 0);
    paintMatrix(painter, at(1), tr("A, by columns"), true, 2, 0);
    paintMatrix(painter, at(2), tr("B, by rows"), false, 2, 0);
    paintMatrix(painter, at(3), tr("sum over ranks"), true, 1, 0);
    painter.setFont(fontOf(kTitleSize));
    painter.setPen(t.text2);
    for (int i = 0; i < 3; ++i)
        painter.drawText(QRectF(i * step + size, top, step - size, size), Qt::AlignCenter,
                         signs[static_cast<std::size_t>(i)]);
    painter.setPen(t.hue(Hue::Teal));
    painter.setFont(fontOf(kAxisSize));
    painter.setPen(t.text2);
    const ParallelLayout& p = m_plan->config.parallel;
    painter.drawText(QRectF(0, height() - lineHeight(16), width(), lineHeight(16)), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("The open plan: tp %1, hidden size %2, %3 columns on a rank.")
                         .arg(p.tp)
                         .arg(m_plan->config.model.hiddenSize)
                         .arg(m_plan->config.model.hiddenSize / std::max<std::int64_t>(p.tp, 1)));
}

void IdeaPicture::paintRoofline(QPainter& painter) const {
    const Theme& t = theme();
    const Roof r = roof();
    const double line = lineHeight(15, kAxisSize);
    const QRectF plot(px(70), px(8) + line, width() - px(86), height() - 3 * line - px(16));
    const double lowX = r.ridge / 300, highX = r.ridge * 30, highY = r.flops * 2, lowY = r.bytesPerSecond * lowX;
    const auto xOf = [&](double x) { return plot.left() + std::log(x / lowX) / std::log(highX / lowX) * plot.width(); };
    const auto yOf = [&](double y) {
        return plot.bottom() - std::log(y / lowY) / std::log(highY / lowY) * plot.height();
    };
    painter.fillRect(QRectF(plot.left(), plot.bottom(), plot.width(), 1), t.line2);
    QColor area = t.hue(Hue::Blue);
    area.setAlphaF(0.12f);
    QPainterPath under(QPointF(plot.left(), plot.bottom()));
    under.lineTo(xOf(lowX), yOf(lowY));
    under.lineTo(xOf(r.ridge), yOf(r.flops));
    under.lineTo(xOf(highX), yOf(r.flops));
    under.lineTo(plot.right(), plot.bottom());
    painter.fillPath(under, area);
    painter.setPen(QPen(t.hue(Hue::Blue), 2));
    painter.drawPolyline(QPolygonF() << QPointF(xOf(lowX), yOf(lowY)) << QPointF(xOf(r.ridge), yOf(r.flops))
                                     << QPointF(xOf(highX), yOf(r.flops)));
    painter.setPen(QPen(t.text2, 1, Qt::DashLine));
    painter.drawLine(QPointF(xOf(r.ridge), yOf(r.flops)), QPointF(xOf(r.ridge), plot.bottom()));
    painter.setPen(t.text2);
    painter.drawText(QRectF(0, 0, width(), line), Qt::AlignLeft | Qt::AlignVCenter, tr("FLOP/s that can be reached"));
    painter.drawText(QRectF(xOf(r.ridge), yOf(r.flops) - line - px(2), plot.right() - xOf(r.ridge), line),
                     Qt::AlignRight | Qt::AlignVCenter, tr("peak %1FLOP/s").arg(shortText(r.flops) + QChar(0x202f)));
    painter.drawText(QRectF(plot.left() + px(8), yOf(r.flops) - line - px(2), xOf(r.ridge) - plot.left(), line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("memory binds"));
    painter.drawText(QRectF(xOf(r.ridge) + px(8), plot.bottom() - line - px(4), plot.right() - xOf(r.ridge), line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("computing binds"));
    painter.drawText(QRectF(xOf(r.ridge) - px(60), plot.bottom() + px(3), px(120), line), Qt::AlignCenter,
                     qs(formatSignificant(r.ridge, 3)));
    painter.drawText(QRectF(plot.left(), plot.bottom() + px(3) + line, plot.width(), line), Qt::AlignCenter,
                     tr("FLOP per byte from memory (log scale)"));
}

}  // namespace slipway::gui
