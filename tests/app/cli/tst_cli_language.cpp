// People read the command line in their language; documents have none: every --json prints the same bytes in every locale.
#include "app/cli/command.h"
#include "core/base/json.h"
#include "core/spec/run_config.h"
#include "core/store/run_store.h"
#include "tests/app/cli/cli_bench.h"
#include "tests/support/seed_store.h"
#include "tests/support/slipway_test.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>

using namespace slipway;
using namespace slipway::test;

namespace {

const QString kDevice = QStringLiteral("NVIDIA H100 SXM 80 GB");

/// Commands that start processes or measure this computer; what they print in JSON is a run of `show`, or measured.
const QSet<QString> kNotRepeatable{"launch", "resume", "clone",  "stop",  "machine", "trainer",
                                   "sweep",  "tune",   "verify", "bench", "watch"};

/// The texts of the catalogue that have several words and no figures, and are not Korean in Korean.
QStringList sentencesOfCatalogue() {
    QFile file(QStringLiteral(SLIPWAY_SOURCE_DIR "/translations/korean.inc"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no catalogue");
    static const QRegularExpression row(QStringLiteral("^\\{\"((?:[^\"\\\\]|\\\\.)*)\", \"(.*)\"\\},$"),
                                        QRegularExpression::MultilineOption);
    static const QRegularExpression words(QStringLiteral("[A-Za-z]{2,} [a-z]{2,}"));
    QStringList texts;
    for (auto match = row.globalMatch(QString::fromUtf8(file.readAll())); match.hasNext();) {
        const auto found = match.next();
        const QString english = found.captured(1);
        if (english.contains(words) && !english.contains(QChar('%')) && english != found.captured(2))
            texts << QString(english).replace(QStringLiteral("\\\""), QStringLiteral("\""));
    }
    return texts;
}

/// Latin words that Korean keeps: abbreviations of the field, units, authors, names of devices, stacks and prices, and what people type.
const QSet<QString> kLatinWords{
    "AFAB",        "AWS",   "CP",          "CPU",    "CUDA",    "DP",    "EP",     "ETP",       "FLOP",  "FLOPs",
    "FSDP",        "GB",    "GPU",         "GiB",    "HBM",     "HFU",   "HSDP",   "ID",        "KV",    "KiB",
    "Korthikanti", "Llama", "MAD",         "MFU",    "MiB",     "MoE",   "NVIDIA", "NaN",       "PCIe",  "PP",
    "RSS",         "RUN",   "SP",          "SXM",    "Slipway", "TB",    "TFLOP",  "TP",        "TPU",   "This",
    "USD",         "Wang",  "ZeRO",        "ab",     "adamw",   "arXiv", "async",  "catalogue", "clone", "computer",
    "cosine",      "cp",    "cpu",         "dp",     "dstack",  "ep",    "false",  "gpu",       "kWh",   "llama",
    "low",         "lr",    "marketplace", "max",    "ms",      "nats",  "none",   "offload",   "pp",    "slipway",
    "straggler",   "tp",    "true",        "typical"};

/// The words of a page that are Latin, but for quoted ones, options, paths, keys and the lists of words that a field takes.
QStringList latinWordsOf(const QByteArray& page) {
    static const QRegularExpression typed(QStringLiteral(
        "`[^`]*`|\"[^\"]*\"|--\\S+|\\S*/\\S*|\\S+(?: \\| \\S+)+|[A-Za-z0-9]*[._][A-Za-z0-9._]*|\\S*\\d[A-Za-z0-9-]*"));
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{2,}"));
    const QString text = QString::fromUtf8(page).remove(typed);
    QStringList words;
    for (auto match = word.globalMatch(text); match.hasNext();) words << match.next().captured();
    return words;
}

/// Words of what runs, tags, models and devices are called.
void addNames(const Json& document, QStringList& words) {
    for (const auto& [key, value] : document.items())
        if (value.is_string() && (document.is_array() || key == "name" || key == "id" || key == "run_id"))
            words << latinWordsOf(QByteArray::fromStdString(value.get<std::string>()));
        else if (value.is_structured() && key != "model" && key != "config" && key != "forecast")
            addNames(value, words);
}

/// Those of the texts that a page shows in English; its lines are joined, for help is broken at spaces.
QStringList englishIn(const QByteArray& page, const QStringList& texts) {
    const QString all = QString::fromUtf8(page).simplified();
    QStringList found;
    for (const QString& text : texts) {
        const qsizetype at = all.indexOf(text);
        const bool isWord = at >= 0 && (at == 0 || !all[at - 1].isLetterOrNumber());
        if (isWord && (at + text.size() == all.size() || !all[at + text.size()].isLetterOrNumber())) found << text;
    }
    return found;
}

bool hasHangul(const QByteArray& text) {
    const QString all = QString::fromUtf8(text);
    return std::any_of(all.begin(), all.end(), [](QChar c) { return c.unicode() >= 0xAC00 && c.unicode() <= 0xD7A3; });
}

}  // namespace

class TstCliLanguage : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_config, m_log, m_table, m_measured, m_foreign, m_brokenLog, m_refused;
    std::vector<RunId> m_ids;

    QString write(const QString& name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("%s", qPrintable(name));
        return file.fileName();
    }

    /// A home with the same runs each time.
    QString home(const QString& name) {
        const Home home{m_folder.filePath(name).toStdString()};
        auto store = RunStore::open(home, OpenMode::ReadWrite);
        if (!store) qFatal("%s", store.error().message.c_str());
        m_ids = seedRuns(*store, {.numRuns = 4});
        return m_folder.filePath(name);
    }

    struct Said {
        int code;
        QByteArray out, err;
    };

    static Said say(const QString& locale, const QString& home, QStringList arguments) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"LANG", "LANGUAGE", "LC_MESSAGES", "LC_NUMERIC"}) environment.remove(name);
        environment.insert(QStringLiteral("LC_ALL"), locale);
        process.setProcessEnvironment(environment);
        arguments << QStringLiteral("--home") << home;
        process.start(QStringLiteral(SLIPWAY_BIN_DIR "/slipway"), arguments);
        if (!process.waitForFinished(120000)) return {-1, {}, {}};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }

private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        m_config =
            write(QStringLiteral("config.json"), QByteArray::fromStdString(toJson(tinyConfig("tiny", 20)).dump()));
        m_log = write(QStringLiteral("run.csv"), "step,loss,step_seconds\n1,3.5,0.1\n2,3.25,0.1\n3,3.125,0.1\n");
        m_table = write(QStringLiteral("table.csv"),
                        "collective,gpus,nodes,message_mb,gb_per_s_mean,latency_us\nall_reduce,8,1,64,200.5,\n"
                        "all_reduce,8,1,256,230.25,\n");
        m_measured = write(QStringLiteral("measured.csv"),
                           "model,layers,hidden,ffn,heads,kv_heads,vocab,tied_embeddings,seq,gpu,gpus_per_node,nodes,"
                           "micro_batch,grad_acc,dp,pp,tp,zero_stage,tokens_per_s_per_gpu,gpu_memory_gb,status\n"
                           "1B,16,2048,8192,32,8,128256,1,4096,H100-80GB-SXM,8,1,1,4,8,1,1,1,20000,40,ok\n");
        // Files whose reading needs remarks: keys and types that are not known, lines and rows that are skipped.
        m_foreign = write(QStringLiteral("foreign.json"),
                          R"({"model_type": "mystery", "num_hidden_layers": 2, "hidden_size": 64, "vocab_size": 1000,
                              "num_attention_heads": 4, "intermediate_size": 256, "hidden_act": "relu",
                              "sliding_window": 16, "use_sliding_window": false, "warp_drive": 9, "bos_token_id": 1})");
        m_brokenLog = write(QStringLiteral("broken.csv"), "step,loss\n1,3.5\nnone,3.25\n3,much\n4,3\n");
        QFile measured(m_measured);
        if (!measured.open(QIODevice::ReadOnly)) qFatal("no table");
        const QByteArray table = measured.readAll();
        m_refused = write(QStringLiteral("refused.csv"),
                          table + table.mid(table.indexOf('\n') + 1).replace("H100-80GB-SXM", "Abacus"));
    }

    void documentsHaveNoLanguage() {
        // Numbers with the locale's separators would show in a locale that is installed.
        QTemporaryDir locales;
        const QString korean = locales.filePath(QStringLiteral("ko_KR.UTF-8"));
        if (QProcess::execute(QStringLiteral("localedef"), {"-i", "ko_KR", "-f", "UTF-8", "--no-archive", korean}) != 0)
            QSKIP("localedef cannot make ko_KR.UTF-8; the package locales has its sources");
        qputenv("LOCPATH", locales.path().toUtf8());
        const auto back = qScopeGuard([] { qunsetenv("LOCPATH"); });
        const QString first = home(QStringLiteral("first")), second = home(QStringLiteral("second"));
        const QString a = QString::fromStdString(m_ids[0].value), b = QString::fromStdString(m_ids[2].value);
        const std::vector<QStringList> commands{
            {"plan", m_config, "--cluster", kDevice},
            {"plan", m_config, "--cluster", kDevice, "--explain", "step_seconds"},
            {"plan", m_config, "--cluster", kDevice, "--set", "parallel.pp=7"},
            {"search", m_config, "--cluster", kDevice, "--devices", "4"},
            {"cost", m_config, "--cluster", kDevice},
            {"laws", "--flops", "1e24"},
            {"lint", m_config, "--cluster", kDevice},
            {"tpu", "--chips", "256", "--batch", "1e6", "--ffn", "28672"},
            {"curves", m_table, "--cluster", kDevice},
            {"runs", "--all"},
            {"show", a},
            {"compare", a, b},
            {"why", a},
            {"why", a, b},
            {"report", a, "--output", m_folder.filePath("report.html")},
            {"tag", a, "one"},
            {"archive", b},
            {"rm", b},
            {"restore", b},
            {"models"},
            {"devices"},
            {"init", m_folder.filePath("new.json"), "--force"},
            {"reindex"},
            {"convert", m_config, "--to", "torchtitan"},
            {"import", m_log},
            {"corpus", m_config},
            {"validate", m_measured},
            {"fields", "parallel"},
            {"playbook", "guess", "pipelines", "15"},
            {"nodes", "list"},
            {"alerts", "set", "straggler", "--threshold", "7"},
        };
        QSet<QString> called;
        for (const QStringList& command : commands) {
            called << command.front();
            const QStringList arguments = command + QStringList{"--json"};
            const Said english = say(QStringLiteral("C"), first, arguments);
            const Said other = say(QStringLiteral("ko_KR.UTF-8"), second, arguments);
            // What a search took differs from call to call.
            static const QRegularExpression elapsed(QStringLiteral("\n  \"seconds\": [0-9.e-]+"));
            const auto bytes = [](QByteArray out, const QString& home) {
                return QString::fromUtf8(out.replace(home.toUtf8(), "HOME")).remove(elapsed).toUtf8();
            };
            QCOMPARE(other.code, english.code);
            if (command.front() == QStringLiteral("import")) continue;  // a new run has a new id
            QCOMPARE(bytes(other.out, second), bytes(english.out, first));
            QVERIFY2(!hasHangul(other.out), qPrintable(command.join(' ')));
        }
        for (const auto& command : allCommands()) {
            const QString name = QString::fromStdString(command->name());
            QVERIFY2(!command->hasJson() || called.contains(name) || kNotRepeatable.contains(name), qPrintable(name));
        }
    }

    // Every page of help, and what commands print about runs, plans and the library.
    void nothingIsLeftInEnglish() {
        const QStringList texts = sentencesOfCatalogue();
        QVERIFY(texts.size() > 1000);
        const QString folder = home(QStringLiteral("korean"));
        const QString a = QString::fromStdString(m_ids[0].value), b = QString::fromStdString(m_ids[2].value);
        QList<QStringList> pages{{"--help"}};
        for (const auto& command : allCommands())
            pages << QStringList{QString::fromStdString(command->name()), "--help"};
        pages << QList<QStringList>{
            {"plan", m_config, "--cluster", kDevice, "--against", m_config},
            {"plan", m_config, "--cluster", kDevice, "--explain", "all"},
            {"search", m_config, "--cluster", kDevice, "--devices", "4", "--why", "tp=2", "--fix", "offload=none"},
            {"cost", m_config, "--cluster", kDevice},
            {"cost", m_config, "--cluster", kDevice, "--scaling", "weak"},
            {"laws", "--flops", "1e24"},
            {"lint", m_config, "--cluster", kDevice},
            {"tpu", "--chips", "256", "--batch", "1e6", "--ffn", "28672"},
            {"curves"},
            {"curves", m_table, "--cluster", kDevice},
            {"runs", "--all"},
            {"show", a},
            {"why", a},
            {"archive", b},
            {"models"},
            {"devices"},
            {"convert", m_config, "--to", "torchtitan"},
            {"validate", m_measured},
            {"validate", m_refused},
            {"convert", m_foreign, "--to", "torchtitan"},
            {"import", m_brokenLog},
            {"lint", m_foreign},
            {"fields"},
            {"playbook", "list"},
            {"nodes", "list"},
            {"alerts"},
            {"nonsense"},
            {"runs", "--limit", "-1"},
            {"show"}};
        QStringList wrong;
        for (const QStringList& page : pages) {
            const Said said = say(QStringLiteral("C"), folder, page + QStringList{"--lang", "ko"});
            QVERIFY2(said.code >= 0 && hasHangul(said.out + said.err), qPrintable(page.join(' ')));
            const QStringList english = englishIn(said.out + '\n' + said.err, texts);
            if (!english.isEmpty()) wrong << page.join(' ') + ": " + english.join(QStringLiteral(" | "));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    // What is written for one page alone and is in no catalogue shows as a Latin word.
    void tablesHaveNoEnglishWord() {
        const QString folder = home(QStringLiteral("tables")), a = QString::fromStdString(m_ids[0].value);
        const QString b = QString::fromStdString(m_ids[2].value),
                      report = m_folder.filePath(QStringLiteral("korean.md"));
        const QString columns = QStringLiteral(
            "id,status,created,duration_seconds,attempts,reason,world_size,tokens_per_second,tokens_per_second_per_device,mfu,"
            "memory_peak_bytes,memory_rss_bytes,bubble_fraction,comm_exposed_seconds,final_loss,warmup_steps,total_tokens,"
            "forecast.mfu,measured.step_seconds,parallel.tp,train.seq_len,archived");
        QStringList names;
        for (const char* command : {"runs", "models", "devices"})
            addNames(Json::parse(say(QStringLiteral("C"), folder, {command, "--json"}).out.toStdString()), names);
        const QList<QStringList> pages{
            {"plan", m_config, "--cluster", kDevice, "--set", "parallel.pp=2"},
            {"search", m_config, "--cluster", kDevice, "--devices", "4", "--why", "tp=2", "--fix", "offload=none"},
            {"cost", m_config, "--cluster", kDevice},
            {"tpu", "--chips", "256", "--batch", "1e6", "--ffn", "28672"},
            {"runs", "--all"},
            {"runs", "--all", "--columns", columns},
            {"runs", "--all", "--group-by", "status"},
            {"runs", "--all", "--columns", columns, "--format", "markdown"},
            {"show", a},
            {"compare", a, b},
            {"why", a},
            {"models"},
            {"devices"},
            {"fields", "parallel"},
            {"nodes", "list"},
            {"alerts"},
            {"report", a, b, "--output", report}};
        const QSet<QString> allowed = kLatinWords + QSet<QString>(names.begin(), names.end());
        QStringList wrong;
        for (const QStringList& page : pages) {
            QByteArray out = say(QStringLiteral("C"), folder, page + QStringList{"--lang", "ko"}).out;
            if (page.front() == QStringLiteral("report")) {
                QFile file(report);
                QVERIFY(file.open(QIODevice::ReadOnly));
                out = file.readAll();
            }
            QVERIFY2(hasHangul(out), qPrintable(page.join(' ')));
            QSet<QString> english;
            for (const QString& word : latinWordsOf(out))
                if (!allowed.contains(word)) english << word;
            if (!english.isEmpty())
                wrong << page.join(' ') + QStringLiteral(": ") +
                             QStringList(english.values()).join(QStringLiteral(", "));
        }
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
    }

    void peopleReadKorean_data() {
        QTest::addColumn<QString>("locale");
        QTest::addColumn<QStringList>("more");
        QTest::addColumn<bool>("korean");
        QTest::newRow("LC_ALL") << QStringLiteral("ko_KR.UTF-8") << QStringList() << true;
        QTest::newRow("--lang ko") << QStringLiteral("C") << QStringList{"--lang", "ko"} << true;
        QTest::newRow("--lang en") << QStringLiteral("ko_KR.UTF-8") << QStringList{"--lang", "en"} << false;
        QTest::newRow("C") << QStringLiteral("C") << QStringList() << false;
    }
    void peopleReadKorean() {
        QFETCH(QString, locale);
        QFETCH(QStringList, more);
        QFETCH(bool, korean);
        const QString folder = m_folder.filePath(QStringLiteral("empty"));
        const QStringList plan{"plan", m_config, "--cluster", kDevice, "--set", "parallel.pp=2"};
        const Said issues = say(locale, folder, QStringList{"plan", m_config, "--set", "parallel.pp=7"} + more);
        QCOMPARE(hasHangul(issues.out), korean);
        const Said explained = say(locale, folder, plan + QStringList{"--explain", "mfu"} + more);
        QCOMPARE(hasHangul(explained.out), korean);
        const Said refused = say(locale, folder, QStringList{"plan", m_folder.filePath("none.json")} + more);
        QCOMPARE(refused.code, 2);
        QCOMPARE(hasHangul(refused.err), korean);
        QCOMPARE(hasHangul(say(locale, folder, QStringList{"fields", "train"} + more).out), korean);
    }
};

SLIPWAY_TEST(TstCliLanguage)
#include "tst_cli_language.moc"
