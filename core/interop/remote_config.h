// A model's config.json by its place on the Hugging Face hub or by URL. Asked for by a person, one document a call.
//   auto text = fetchConfig("hf:meta-llama/Llama-3.1-8B", {});   // or https://huggingface.co/ORG/NAME, any https URL
#pragma once

#include "core/net/http.h"

#include <string>

namespace slipway::interop {

struct RemoteOptions {
    std::string hub = "https://huggingface.co";
    HttpOptions http = {};  ///< `token` goes to the hub alone
};

/// True for "hf:ORG/NAME", for URLs of any scheme, and for the hub's addresses as browsers show them, without scheme.
bool isRemote(const std::string& place);

/// "hf:ORG/NAME" when the text is ORG/NAME alone, as the hub's pages have it to copy; else empty. It may be a file's path
/// as well, so a command proposes this and does not contact the hub by itself.
std::string hubPlaceOf(const std::string& text);

/// The address of the document. "hf:ORG/NAME", "hf:ORG/NAME@REVISION", ORG/NAME alone, a model's page and a file's page on
/// the hub become the file's own address; other URLs stay as they are. "bad_url" when it names no model.
Result<std::string> configUrl(const std::string& place, const std::string& hub = RemoteOptions{}.hub);

/// The document's text. Errors of httpGet(); those of the hub name the remedy for licences, tokens and names.
/// "net_not_config" when a web page or binary data came instead of text.
Result<std::string> fetchConfig(const std::string& place, const RemoteOptions& options);

/// The hub's token of the environment (HF_TOKEN, else HUGGING_FACE_HUB_TOKEN); empty when there is none. It is never
/// stored, logged or shown.
std::string hubToken();

/// Name of the model of a place, for the run: "Llama-3.1-8B"; empty when the place does not name one.
std::string modelNameOf(const std::string& place);

}  // namespace slipway::interop
