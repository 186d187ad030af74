// Fields of the document, by section of the Plan page's form.
#pragma once

#include "core/base/field_table.h"

namespace slipway::gui {

class SpecForm;

/// Adds and fills the sections; the last contains all fields without a better place.
void arrangePlanForm(SpecForm& form, const FieldInfos& fields);

}  // namespace slipway::gui
