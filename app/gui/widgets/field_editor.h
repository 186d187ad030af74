// The editor of one field of a field table, chosen by its type: number, choice, check box, text, list.
#pragma once

#include "core/base/field_table.h"

#include <QString>
#include <functional>

class QObject;
class QWidget;

namespace slipway::gui {

QWidget* makeFieldEditor(const FieldInfo& info, QWidget* parent);
/// Calls `typed` at every keystroke, and `edited` when a value is accepted (typed_field.h), both with the text for
/// setField().
void onFieldEdited(QWidget* editor, QObject* context, std::function<void(const QString&)> typed,
                   std::function<void(const QString&)> edited);
/// Shows the value of info.defaultJson; the user's typing is not disturbed.
void showFieldValue(QWidget* editor, const FieldInfo& info);
/// Unit shown in the editor: stored bytes are edited in GiB or MiB, FLOP/s in TFLOP/s and so on.
Message shownUnitName(const FieldInfo& info);

}  // namespace slipway::gui
