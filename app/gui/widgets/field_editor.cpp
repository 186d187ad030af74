#include "app/gui/widgets/field_editor.h"

#include "app/gui/look/theme.h"
#include "app/gui/text/format.h"
#include "app/gui/text/text.h"
#include "app/gui/widgets/number_edit.h"
#include "app/gui/widgets/typed_field.h"
#include "core/base/units.h"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLineEdit>
#include <cmath>
#include <type_traits>
#include <utility>

namespace slipway::gui {
namespace {

struct ShownUnit {
    double factor = 1;
    Message name;
};

ShownUnit shownUnit(const FieldInfo& info) {
    if (info.unit == "bytes")
        return info.path == "parallel.bucket_bytes" ? ShownUnit{kMiB, Message::name("MiB")}
                                                    : ShownUnit{kGiB, Message::name("GiB")};
    if (info.unit == "B/s") return {1e9, Message::name("GB/s")};
    if (info.unit == "FLOP/s") return {1e12, Message::name("TFLOP/s")};
    if (info.unit == "s" && info.key == "latency_seconds") return {1e-6, Message::name("µs")};
    return {1, info.unit};
}

bool isDegree(const FieldInfo& info) {
    return info.path.rfind("parallel.", 0) == 0 && info.unit == "ranks";
}

// A whole number with few values is easier to read as a list of words (ZeRO stage).
bool isShortRange(const FieldInfo& info) {
    return info.kind == FieldKind::Integer && !info.isOptional && info.maximum - info.minimum <= 3;
}

bool isChoice(const FieldInfo& info) {
    return info.kind == FieldKind::Enum || isShortRange(info) || (info.kind == FieldKind::Bool && info.isOptional);
}

QString plainText(const FieldInfo& info) {
    // Numbers keep their text: conversion to double would lose digits of large integers.
    if (info.kind == FieldKind::Integer || info.kind == FieldKind::Real || info.kind == FieldKind::Bool)
        return info.defaultJson == "null" ? QString() : exactText(info.defaultJson);
    const QJsonValue value =
        QJsonDocument::fromJson(QByteArray::fromStdString("[" + info.defaultJson + "]")).array().first();
    if (!value.isArray()) return value.toVariant().toString();
    QStringList items;
    for (const QJsonValue& item : value.toArray()) items << item.toVariant().toString();
    return items.join(QStringLiteral(","));
}

}  // namespace

Message shownUnitName(const FieldInfo& info) {
    return shownUnit(info).name;
}

QWidget* makeFieldEditor(const FieldInfo& info, QWidget* parent) {
    if (isChoice(info)) {
        auto* box = new QComboBox(parent);
        box->setFocusPolicy(Qt::StrongFocus);
        box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
        box->setMinimumContentsLength(10);
        if (info.isOptional) box->addItem(QCoreApplication::translate("FieldEditor", "default"), QString());
        if (info.kind == FieldKind::Enum)
            for (std::size_t i = 0; i < info.choices.size(); ++i)
                box->addItem(messageText(info.choiceLabels[i]), qs(info.choices[i]));
        else if (info.kind == FieldKind::Bool)
            for (const char* word : {"true", "false"})
                box->addItem(choiceText("bool", word), QString::fromLatin1(word));
        else
            for (auto value = static_cast<std::int64_t>(info.minimum); value <= static_cast<std::int64_t>(info.maximum);
                 ++value)
                box->addItem(choiceText(info.path, std::to_string(value)), QString::number(value));
        return box;
    }
    switch (info.kind) {
        case FieldKind::Integer:
        case FieldKind::Real: {
            auto* edit = new NumberEdit(parent);
            const auto steps = isDegree(info) ? NumberEdit::Steps::Doubling : NumberEdit::Steps::One;
            edit->configure(info.kind == FieldKind::Integer, info.minimum, info.maximum, shownUnit(info).factor, steps);
            if (info.isOptional) edit->allowAbsent(QCoreApplication::translate("FieldEditor", "default"));
            return edit;
        }
        case FieldKind::Bool: return new QCheckBox(parent);
        default: {
            auto* edit = new QLineEdit(parent);
            edit->setMinimumHeight(px(23));
            return edit;
        }
    }
}

void onFieldEdited(QWidget* editor, QObject* context, std::function<void(const QString&)> typed,
                   std::function<void(const QString&)> edited) {
    const auto watch = [&](auto* edit, auto change, TypedField::Editor functions) {
        auto* field = new TypedField(edit, std::move(functions));
        QObject::connect(edit, change, field, &TypedField::change);
        QObject::connect(edit, &std::remove_pointer_t<decltype(edit)>::editingFinished, field, &TypedField::take);
        QObject::connect(field, &TypedField::typed, context, typed);
        QObject::connect(field, &TypedField::taken, context, edited);
    };
    if (auto* number = qobject_cast<NumberEdit*>(editor))
        watch(number, &NumberEdit::valueChanged,
              {[number] { return number->storedText(); }, [number] { return number->isTyped(); },
               [number] { return number->hasAcceptableInput(); }});
    else if (auto* box = qobject_cast<QComboBox*>(editor))
        QObject::connect(box, &QComboBox::currentIndexChanged, context,
                         [box, edited] { edited(box->currentData().toString()); });
    else if (auto* check = qobject_cast<QCheckBox*>(editor))
        QObject::connect(check, &QCheckBox::toggled, context,
                         [edited](bool on) { edited(on ? QStringLiteral("true") : QStringLiteral("false")); });
    else if (auto* line = qobject_cast<QLineEdit*>(editor))
        watch(line, &QLineEdit::textChanged,
              {[line] { return line->text(); }, [line] { return line->isModified(); }, [] { return true; }});
}

void showFieldValue(QWidget* editor, const FieldInfo& info) {
    if (const TypedField* typed = TypedField::of(editor); typed && typed->isWaiting()) return;
    const QString text = plainText(info);
    if (auto* number = qobject_cast<NumberEdit*>(editor)) {
        if (text.isEmpty()) {
            if (!number->isAbsent()) number->setAbsent();
        } else if (number->storedText() != text) {
            number->setStored(text.toDouble());
        }
    } else if (auto* box = qobject_cast<QComboBox*>(editor)) {
        box->setCurrentIndex(std::max(0, box->findData(text)));
    } else if (auto* check = qobject_cast<QCheckBox*>(editor)) {
        check->setChecked(text == QStringLiteral("true"));
    } else if (auto* line = qobject_cast<QLineEdit*>(editor)) {
        if (line->text() != text) line->setText(text);
    }
}

}  // namespace slipway::gui
