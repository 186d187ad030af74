// The visible part of a duration: all of it, or from one time to another.
//   window.zoom(0.8, atSeconds, total, shortest);   x = (seconds - window.from()) / window.width(total);
#pragma once

#include <QString>

namespace slipway::gui {

class TimeWindow {
public:
    void reset() { m_from = m_to = 0; }
    [[nodiscard]] bool isWhole() const { return m_to <= 0; }
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to(double total) const { return m_to > 0 ? m_to : total; }
    [[nodiscard]] double width(double total) const { return to(total) - m_from; }
    /// Below 1 in, above 1 out, with the time `at` fixed; not narrower than `shortest`.
    void zoom(double factor, double at, double total, double shortest);
    void moveBy(double seconds, double total);
    /// "0.0 – 4.4 s of 17.4 s"; empty for all of it.
    [[nodiscard]] QString text(double total) const;

private:
    double m_from = 0, m_to = 0;  // to 0: all of it
};

}  // namespace slipway::gui
