using System.CommandLine;
using System.Globalization;
using Raceway.Interop.Journal;
using Raceway.Lab.Reporting;

namespace Raceway.Lab.Cli.Journals;

/// <summary><c>raceway journal probe</c>: how long a write and its sync take on a disk.</summary>
internal sealed class ProbeCommand : JournalPathCommand
{
    private static readonly int[] s_lengths = [128, 4 << 10, 64 << 10, 1 << 20];

    private readonly Option<TimeSpan?> _for = CommonOptions.Time(
        "--for", TimeSpan.FromMilliseconds(10), TimeSpan.FromMinutes(10), "How long to measure each size. Default: 1s.");

    /// <summary>Creates the command.</summary>
    public ProbeCommand(ToolConsole console)
        : base("probe", "Measures how long a write and its sync take in a folder: what a durable item waits for at least.", console) => Add(_for);

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway journal probe data", "four sizes, a second each, in a file that is deleted afterwards"),
    ];

    /// <inheritdoc/>
    protected override int Execute(string path, ParseResult options, CommandRun run, Action<object> write)
    {
        if (!Directory.Exists(path)) throw new ToolException($"'{path}' is no folder; name one on the disk in question.", ExitCode.Usage);
        IReadOnlyList<SyncTime> times = DiskProbe.Measure(path, s_lengths, options.GetValue(_for) ?? TimeSpan.FromSeconds(1), run.Cancellation);
        SyncTime small = times[0];
        SyncTime large = times[^1];
        string result = string.Create(
            CultureInfo.InvariantCulture,
            $"A sync takes {small.Median.TotalMicroseconds:0} µs: {1 / small.Median.TotalSeconds:N0} batches/s. In writes of 1 MiB the disk keeps {large.Length / large.Median.TotalSeconds / 1e6:N0} MB/s.");
        ConsoleReport.Write(
            new Report("raceway journal probe",
            [
                new ReportText(result, IsResult: true),
                new ReportTable(
                    "A write and its sync",
                    [new("bytes"), new("times"), new("p50"), new("p99"), new("longest")],
                    [.. times.Select(static one => (string[])[$"{one.Length}", $"{one.Count}", Of(one.Median), Of(one.Worst99), Of(one.Worst)])]),
            ]),
            Console);
        write(times);
        return ExitCode.Done;
    }

    private static string Of(TimeSpan time) => string.Create(CultureInfo.InvariantCulture, $"{time.TotalMicroseconds:0} µs");
}
