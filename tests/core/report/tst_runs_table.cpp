// The list of runs as a file: CSV, Markdown, LaTeX and Parquet, of texts that strangers wrote.
#include "core/report/parquet.h"
#include "core/report/runs_table.h"
#include "tests/support/slipway_test.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <bit>
#include <cstring>
#include <limits>

using namespace slipway;

namespace {

const std::string kHostile = "=1+1 | a_b & 50% $x^2$ {\\input{/etc/passwd}} # <b> [x](http://a.b) ~\n\\\\ \"q\"";
const std::vector<std::string> kColumns{"name", "mfu", "num_micro_batches", "created", "archived", "tag", "final_loss"};

std::vector<RunRow> someRows() {
    RunRow one, two;
    one.record.status = RunStatus::Completed;
    one.cells = {kHostile,
                 0.411,
                 std::int64_t{8},
                 std::int64_t{1763730900000},
                 std::int64_t{1},
                 "\nb\nold one\n",
                 std::numeric_limits<double>::quiet_NaN()};
    two.record.status = RunStatus::Failed;
    two.cells = {std::string("두 번째"), {}, {}, std::int64_t{0}, std::int64_t{0}, std::string(), -2.5};
    return {one, two};
}

std::string fileOf(TableFormat format) {
    const auto file = writeRuns(someRows(), kColumns, format, Language::English);
    return file ? *file : file.error().text();
}

/// What Python makes of the file, or nothing where it has no pyarrow.
QString readByPyarrow(const std::string& file) {
    QTemporaryDir folder;
    QFile out(folder.filePath("t.parquet"));
    if (!out.open(QIODevice::WriteOnly)) return {};
    out.write(file.data(), static_cast<qint64>(file.size()));
    out.close();
    QString python = qEnvironmentVariable("SLIPWAY_TEST_PYTHON");
    if (python.isEmpty()) python = QStandardPaths::findExecutable("python3");
    QProcess process;
    process.start(
        python,
        {"-c",
         "import sys\ntry:\n import pyarrow.parquet as p\nexcept ImportError:\n sys.exit(3)\n"
         "t=p.read_table(sys.argv[1])\nprint(t.schema.to_string(show_schema_metadata=False))\n"
         "for c in t.column_names: print([x.isoformat() if hasattr(x, 'isoformat') else x for x in t[c].to_pylist()])",
         out.fileName()});
    process.waitForFinished(60000);
    if (process.exitCode() == 3) return {};
    return QString::fromUtf8(process.readAllStandardOutput() + process.readAllStandardError());
}

}  // namespace

class TstRunsTable : public QObject {
    Q_OBJECT

private slots:
    void csvHasFullNumbersAndNoWordForUnknown() {
        QCOMPARE(
            QString::fromStdString(fileOf(TableFormat::Csv)),
            QString("name,mfu,num_micro_batches,created,archived,tag,final_loss\r\n"
                    "\"'=1+1 | a_b & 50% $x^2$ {\\input{/etc/passwd}} # <b> [x](http://a.b) ~ \\\\ \"\"q\"\"\",0.411,8,"
                    "2025-11-21T13:15:00Z,yes,b old one,nan\r\n"
                    "두 번째,,,1970-01-01T00:00:00Z,no,,-2.5\r\n"));
    }

    void markdownHasNoMarkupOfStrangers() {
        const QString text = QString::fromStdString(fileOf(TableFormat::Markdown));
        QVERIFY2(text.contains("=1+1 \\| a\\_b \\& 50% $x^2$"), qPrintable(text));
        QVERIFY2(text.contains("\\[x\\](http\\://a.b)"), qPrintable(text));
        QVERIFY2(text.contains("41.1 %") && text.contains("| n/a |"), qPrintable(text));
        QCOMPARE(text.count("\n| "), 3);  // the rule, and a line for each run
    }

    void latexHasNoCommandsOfStrangers() {
        const QString text = QString::fromStdString(fileOf(TableFormat::Latex));
        QVERIFY2(text.contains("=1+1 \\textbar{} a\\_b \\& 50\\% \\$x\\textasciicircum{}2\\$ "
                               "\\{\\textbackslash{}input\\{/etc/passwd\\}\\} \\# \\textless{}b\\textgreater{} "
                               "{[}x{]}(http://a.b) \\textasciitilde{} \\textbackslash{}\\textbackslash{} "
                               "\\textquotedbl{}q\\textquotedbl{} & 41.1 \\% & 8 &"),
                 qPrintable(text));
        QVERIFY2(text.contains("& $-$2.500 \\\\"), qPrintable(text));
        QVERIFY2(text.contains("\\begin{tabular}{lrrlllr}"), qPrintable(text));
        QCOMPARE(text.count(" \\\\\n"), 3);
    }

    void parquetIsWhatTheFormatSays() {
        const auto file = toParquet({{"n", ParquetType::Integer, {std::int64_t{7}, {}, std::int64_t{-1}}}}, 3);
        QVERIFY(file);
        QVERIFY(file->starts_with("PAR1") && file->ends_with("PAR1"));
        // A header, then the levels (known, unknown, known: three runs of one), then 7 and -1 as they are in memory.
        const std::string levels("\x06\0\0\0\x02\x01\x02\x00\x02\x01", 10);
        std::string values(16, '\0');
        for (const auto& [place, value] : {std::pair(0, std::int64_t{7}), std::pair(8, std::int64_t{-1})})
            std::memcpy(values.data() + place, &value, 8);
        const std::size_t at = file->find(levels + values);
        QVERIFY(at != std::string::npos);
        QCOMPARE((*file)[4], '\x15');        // field 1, an i32
        QCOMPARE((*file)[7], char(2 * 26));  // the page is 26 bytes long, in zigzag
        std::uint32_t footer = 0;
        std::memcpy(&footer, file->data() + file->size() - 8, 4);
        QCOMPARE(std::size_t{footer}, file->size() - 8 - (at + 26));
    }

    void parquetRefusesWhatDoesNotFit() {
        QCOMPARE(toParquet({{"n", ParquetType::Integer, {1.5}}}, 1).error().code, std::string("bad_table"));
        QCOMPARE(toParquet({{"n", ParquetType::Text, {}}}, 1).error().code, std::string("bad_table"));
    }

    void pyarrowReadsTheSame() {
        const QString read = readByPyarrow(fileOf(TableFormat::Parquet));
        if (read.isEmpty()) QSKIP("no pyarrow here: SLIPWAY_TEST_PYTHON names a Python that has it");
        QCOMPARE(
            read,
            QString(
                "name: string\nmfu: double\nnum_micro_batches: int64\ncreated: timestamp[ms, tz=UTC]\n"
                "archived: bool\ntag: string\nfinal_loss: double\n"
                "['=1+1 | a_b & 50% $x^2$ {\\\\input{/etc/passwd}} # <b> [x](http://a.b) ~\\n\\\\\\\\ \"q\"', '두 번째']\n"
                "[0.411, None]\n[8, None]\n"
                "['2025-11-21T13:15:00+00:00', '1970-01-01T00:00:00+00:00']\n"
                "[True, False]\n['b old one', '']\n[nan, -2.5]\n"));
    }

    // More rows than a page holds, more flags than a byte, unknown ones among them.
    void pyarrowReadsManyRows() {
        ParquetColumn flags{"f", ParquetType::Flag, {}}, numbers{"n", ParquetType::Real, {}};
        constexpr std::int64_t kRows = 150001;
        for (std::int64_t i = 0; i < kRows; ++i) {
            if (i % 7 == 0) {
                flags.values.emplace_back();
            } else {
                flags.values.emplace_back(std::int64_t{i % 3 == 0});
            }
            numbers.values.emplace_back(static_cast<double>(i));
        }
        const auto file = toParquet({flags, numbers}, kRows);
        QVERIFY(file);
        const QString read = readByPyarrow(*file);
        if (read.isEmpty()) QSKIP("no pyarrow here: SLIPWAY_TEST_PYTHON names a Python that has it");
        QString wanted = "f: bool\nn: double\n[";
        for (std::int64_t i = 0; i < kRows; ++i)
            wanted += QString(i == 0 ? "" : ", ") + (i % 7 == 0 ? "None" : i % 3 == 0 ? "True" : "False");
        QVERIFY2(read.startsWith(wanted + "]\n[0.0, 1.0, "), qPrintable(read.left(300)));
        QVERIFY(read.endsWith("149999.0, 150000.0]\n"));
    }

    void groupsHaveMeanLeastAndGreatest() {
        const RunGroup group{17.0, 3, 2, 1, {{2, 0.25, 0.75, 0.5, 0.5}, {}}};
        const auto table = groupsTable({group}, "seed", {"mfu", "final_loss"}, Language::English);
        QVERIFY(table);
        QCOMPARE(
            QString::fromStdString(writeTable(*table, TableFormat::Csv)),
            QString("seed,runs,ran,failed,mfu_mean,mfu_min,mfu_max,final_loss_mean,final_loss_min,final_loss_max\r\n"
                    "17,3,2,1,0.5,0.25,0.75,,,\r\n"));
        QCOMPARE(groupsTable({}, "sede", {}, Language::English).error().code, std::string("unknown_field"));
    }
};

SLIPWAY_TEST(TstRunsTable)
#include "tst_runs_table.moc"
