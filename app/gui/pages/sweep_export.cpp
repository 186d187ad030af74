// SweepView: its trials as a table for files.
#include "app/gui/pages/compare_data.h"
#include "app/gui/pages/sweep_view.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"

namespace slipway::gui {

DataTable SweepView::dataTable() const {
    const SweepData& sweep = m_controller.data();
    DataTable table{{tr("Trial"), tr("Outcome")}, {}};
    if (!sweep.plan) return table;
    for (const SweepField& field : sweep.plan->fields) table.headers << qs(field.path);
    for (const char* key : kSweepMeasures)
        table.headers << columnTitle(key) << tr("%1, forecast").arg(columnTitle(key));
    table.headers << tr("Run");
    for (std::size_t i = 0; i < sweep.trials.size(); ++i) {
        const SweepTrial& trial = sweep.trials[i];
        QStringList row{qs(sweep.plan->trials[i].name), outcomeText(trial)};
        for (std::size_t f = 0; f < sweep.plan->fields.size(); ++f)
            row << sweep.plan->fields[f].values.value(sweep.plan->valueOf[i][f]);
        for (const char* key : kSweepMeasures)
            row << figureText(key, valueOf(trial, key)) << figureText(key, trial.forecast.*measureOf(key));
        row << qs(trial.run.value);
        table.rows.append(row);
    }
    return table;
}

}  // namespace slipway::gui
