// Data of a chart board, read off the main thread: some metrics of some runs, and the runs' events. Also the saved
// boards: a plain file each, in the folder "boards" of the home. No widgets here.
//   BoardData data = loadBoard(store, {.runs = ids, .metrics = {"loss", "mfu"}}, token);
#pragma once

#include "app/gui/pages/curve_data.h"
#include "app/gui/widgets/chart_state.h"
#include "core/base/result.h"

#include <QString>
#include <QStringList>
#include <map>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace slipway::gui {

/// The saved part of a board.
struct Board {
    std::string name;
    std::vector<std::string> metrics = {"loss", "grad_norm", "mfu", "step_seconds"};
    CurveX x = CurveX::Step;
    double smoothing = 0;  ///< EMA weight in [0, 1)
    bool logY = false, clip = false, band = true, events = true;
    std::vector<std::string> runs;  ///< ids; empty: the compared runs
    bool operator==(const Board&) const = default;
};

/// Names of the saved boards, sorted.
std::vector<std::string> savedBoards(const Home& home);
/// "bad_board" where the file is not a board.
Result<Board> readBoard(const Home& home, const std::string& name);
/// Replaces the board of this name. "bad_name" for a name that is invalid for a file.
Result<void> saveBoard(const Home& home, const Board& board);
Result<void> removeBoard(const Home& home, const std::string& name);

struct BoardRequest {
    std::vector<RunId> runs;
    Board board;
    std::vector<std::int64_t> keys{};  ///< of many runs; empty: found by their ids
};

struct BoardRun {
    CurveSource source;
    QString letter;
    QString name;
};

/// An event of a run, at a position on the axis.
struct BoardEvent {
    double x = 0;
    std::int64_t step = 0;
    int run = 0;
    QString text;
    bool isBad = false;
};

struct BoardChart {
    std::string metric;
    std::vector<Curve> curves;  ///< of runs with the metric; raw curves before their smoothed ones
    std::vector<int> runs;      ///< of each curve
};

struct BoardData {
    std::vector<BoardRun> runs;
    std::vector<BoardChart> charts;
    std::map<std::string, QStringList> recorded;  ///< letters of the runs with a metric; empty for many runs
    std::vector<BoardEvent> events;               ///< by x
    QVector<double> marks;                        ///< checkpoints
    QStringList unreadable;
};

/// Whether so few runs that each has its bands, events and faint lines, and `recorded` comes with the charts.
bool isOfFew(const BoardRequest& request);

BoardData loadBoard(RunStore& store, const BoardRequest& request, const std::stop_token& token);

/// The rows of many runs in the index, 0 for a missing one: milliseconds for a store that has listed the runs before.
std::vector<std::int64_t> keysOf(RunStore& store, const std::vector<RunId>& runs, const std::stop_token& token);

/// BoardData::recorded of many runs, which takes as long as their charts.
std::map<std::string, QStringList> recordedBy(RunStore& store, const std::vector<BoardRun>& runs,
                                              const std::stop_token& token);

/// The same charts between two positions of their axis, and half that width beside it: finer where the curves have more points.
std::vector<BoardChart> loadBoardPart(RunStore& store, const BoardData& whole, const Board& board,
                                      std::pair<double, double> part, const std::stop_token& token);

/// All points of the board's metrics: run, metric, step, value.
std::string boardCsv(RunStore& store, const BoardRequest& request, const std::stop_token& token);

}  // namespace slipway::gui
