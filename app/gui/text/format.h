// Numbers and core strings as QString. The figures come from core/base/units; only "unknown" is handled here (look.md
// 4, 13). Texts of core may be untrusted (core/base/untrusted_text.h): the window shows them through qs(), shownLines()
// or shown(), and labels show plain text (app/gui/look/style.h).
#pragma once

#include "core/base/language.h"

#include <QString>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slipway::gui {

/// Text for the window: UntrustedText::plain().
QString qs(std::string_view text);
/// The same with its line breaks: errors that list several problems, notes.
QString shownLines(std::string_view text);
/// Text from Qt, such as the name of a file.
QString shown(const QString& text);
/// The unchanged text, for edit fields, documents, paths and the clipboard; never for a label.
QString exactText(const std::string& text);

/// A cell of a tab-separated table for spreadsheets: UntrustedText::tsv() with plain spaces and minus.
QString tabCell(const QString& text);
/// A name as one word of a command line, for any contents.
QString shellWord(const QString& text);
/// A name made safe as a file name.
QString fileName(const std::string& name);

/// The current language of the window.
Language windowLanguage();

/// "–": not known yet.
QString unknownText();
/// "n/a": cannot exist.
QString notApplicableText();

/// A figure of a forecast or measurement: empty or NaN means "not known yet".
QString bytesText(std::optional<double> bytes);
QString secondsText(std::optional<double> seconds);
/// "4.15 ± 0.42 s": the value and half of the interval around it; "4.15 (3.2–25.4) s" where its sides differ by more than a
/// quarter; without a finite interval only the value.
QString secondsWithin(double seconds, const std::pair<double, double>& interval);
QString percentText(std::optional<double> fraction);
QString countText(std::optional<double> count);
QString fixedText(std::optional<double> value, int decimals);
QString moneyText(std::optional<double> amount, const std::string& currency);
/// Large counts abbreviated in the language: "8.03 B" or "80.3억".
QString shortText(std::optional<double> count);
/// Difference of two fractions, in percentage points: "+2.1 points".
QString pointsText(double difference);
/// Relative difference with its sign: "+8 %", "−0.7 %".
QString deltaText(double part);

/// "27.1 GiB" as number and unit, for big figures with small units.
struct Figure {
    QString number;
    QString unit;
};
Figure split(const QString& text);

/// Lets Korean lines break only between words: U+2060 between the syllables of a word (Qt breaks inside words).
QString wordJoined(const QString& text);

/// "10:42:06" local time, and "2026-11-21 10:42".
QString clockText(qint64 unixMilliseconds);
QString dateText(qint64 unixMilliseconds);

}  // namespace slipway::gui
