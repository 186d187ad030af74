#include "app/gui/values/found_row.h"

#include "app/gui/text/layout_words.h"

namespace slipway::gui {

QString FoundRow::text() const {
    return layoutWords(layout.parallel, layout.microBatchSize, layout.recompute);
}

}  // namespace slipway::gui
