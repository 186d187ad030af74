// Fields of the document, by section of the Plan page's form.
#pragma once

#include "core/base/field_table.h"

namespace slipway::gui {

class SpecForm;

/// Adds the sections, the last of which holds every field that has no better place, and fills them.
void arrangePlanForm(SpecForm& form, const FieldInfos& fields);

}  // namespace slipway::gui
