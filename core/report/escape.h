// Text from data into documents: one function per context.
#pragma once

#include <string>

namespace slipway {

/// For HTML and SVG text and attribute values. Control characters are dropped.
std::string escapeHtml(const std::string& text);

/// For a cell of a Markdown table, a heading or a paragraph: nothing in it becomes markup, an image or a link.
std::string escapeMarkdown(const std::string& text);

/// One CSV field. Text that begins with = + - @ tab or return gets an apostrophe in front (OWASP, CSV injection).
std::string csvText(const std::string& text);

/// A number for CSV with full precision; non-finite values as docs/run_folder.md writes them.
std::string csvNumber(double value);

}  // namespace slipway
