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
    std::map<std::string, QStringList> recorded;  ///< letters of the runs with a metric
    std::vector<BoardEvent> events;               ///< by x
    QVector<double> marks;                        ///< checkpoints
    QStringList unreadable;
};

BoardData loadBoard(RunStore& store, const BoardRequest& request, const std::stop_token& token);

/// All points of the board's metrics: run, metric, step, value.
std::string boardCsv(RunStore& store, const BoardRequest& request, const std::stop_token& token);

}  // namespace slipway::gui
