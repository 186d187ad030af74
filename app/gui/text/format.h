// Numbers and core strings as QString. The figures come from core/base/units; here only "unknown" is decided (look.md 4, 13).
// Texts of core may be a stranger's (core/base/untrusted_text.h): what the window shows comes from qs(), shownLines() or
// shown(), and labels show it as plain text (app/gui/look/style.h).
#pragma once

#include "core/base/language.h"

#include <QString>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace slipway::gui {

/// Text as the window shows it: UntrustedText::plain().
QString qs(std::string_view text);
/// The same with its line breaks: errors that list several problems, notes.
QString shownLines(std::string_view text);
/// Text that Qt gave, such as the name of a file.
QString shown(const QString& text);
/// The text itself, for fields in which people edit it, documents, paths and the clipboard; never for a label.
QString exactText(const std::string& text);

/// A cell of a tab-separated table for spreadsheets: UntrustedText::tsv() with plain spaces and minus.
QString tabCell(const QString& text);
/// A name as one word of a command line, whatever it holds.
QString shellWord(const QString& text);
/// A name as the name of a file in the folder it is saved in.
QString fileName(const std::string& name);

/// The language that the window has now.
Language windowLanguage();

/// "–": not known yet.
QString unknownText();
/// "n/a": cannot exist.
QString notApplicableText();

/// A figure of a forecast or measurement: empty or NaN means "not known yet".
QString bytesText(std::optional<double> bytes);
QString secondsText(std::optional<double> seconds);
/// "4.15 ± 0.42 s": the value and half of the interval around it; without a finite interval the value alone.
QString secondsWithin(double seconds, const std::pair<double, double>& interval);
QString percentText(std::optional<double> fraction);
QString countText(std::optional<double> count);
QString fixedText(std::optional<double> value, int decimals);
QString moneyText(std::optional<double> amount, const std::string& currency);
/// Large counts in words of the language: "8.03 B" or "80.3억".
QString shortText(std::optional<double> count);
/// Difference of two shares, in percentage points: "+2.1 points".
QString pointsText(double difference);
/// Relative difference with its sign: "+8 %", "−0.7 %".
QString deltaText(double part);

/// "27.1 GiB" as number and unit, for big figures with small units.
struct Figure {
    QString number;
    QString unit;
};
Figure split(const QString& text);

/// Lets Korean lines break between words only: U+2060 between the syllables of a word (Qt breaks inside words).
QString wordJoined(const QString& text);

/// "10:42:06" local time, and "2026-11-21 10:42".
QString clockText(qint64 unixMilliseconds);
QString dateText(qint64 unixMilliseconds);

}  // namespace slipway::gui
