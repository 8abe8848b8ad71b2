using System.CommandLine;
using System.Globalization;
using Raceway.Lab.Reporting;
using Raceway.Lab.Watching;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway watch</c>: the meters of running pipelines, live, and what they mean.</summary>
internal sealed class WatchCommand : ToolCommand
{
    // A pipeline may be made a little later than its process is watched.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan s_least = TimeSpan.FromMilliseconds(100);

    private readonly Option<int?> _pid = CommonOptions.Number<int>(
        "--pid", "the number of a process, 1 or more", static pid => pid >= 1, "The process to watch, by its number.");

    private readonly Option<string?> _name = new("--name") { Description = "The process to watch, by its name.", HelpName = "NAME" };
    private readonly Option<bool> _run = new("--run")
    {
        Description = "Watch the main job, which runs in this process over and over until the end.",
    };

    private readonly Option<double?> _rate = CommonOptions.Number<double>(
        "--rate",
        "lines a second, above 0 and up to 1000000000",
        static rate => rate is > 0 and <= 1e9,
        "With --run: lines a second. Default: as fast as they are taken.");

    private readonly Option<TimeSpan?> _for = CommonOptions.Time(
        "--for", s_least, TimeSpan.FromDays(1), "How long to watch, such as 10s, 500ms or 2m. Default: until it ends, or Ctrl-C.");

    private readonly Option<TimeSpan?> _interval = CommonOptions.Time(
        "--interval", s_least, TimeSpan.FromMinutes(1), "How often to look, from 100ms to 1m. Default: 1s.");

    private readonly Option<bool> _once = new("--once") { Description = "Look over one interval, print it, and end." };
    private readonly Option<string?> _json = CommonOptions.Json();

    /// <summary>Creates the command.</summary>
    public WatchCommand(ToolConsole console)
        : base("watch", "Shows the meters of running pipelines live, of another process or of this one, and what they mean.", console)
    {
        foreach (Option option in new Option[] { _pid, _name, _run, _rate, _for, _interval, _once, _json }) Add(option);
        Validators.Add(result =>
        {
            int targets = new Option[] { _pid, _name, _run }.Count(option => result.GetResult(option) is { Implicit: false });
            if (targets > 1) result.AddError("--pid, --name and --run exclude each other: one thing is watched at a time.");
            Option? idle = new Option[] { _for, _interval, _once, _json }.FirstOrDefault(option => result.GetResult(option) is { Implicit: false });
            if (targets == 0 && idle is not null) result.AddError($"{idle.Name} needs something to watch: add --pid, --name or --run.");
            if (result.GetResult(_rate) is { Implicit: false } && result.GetResult(_run) is null or { Implicit: true })
                result.AddError("--rate belongs to --run.");
        });
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway watch", "the processes of this user that can be watched"),
        ("raceway watch --pid 4711", "its pipelines, live, until it ends or Ctrl-C"),
        ("raceway watch --name orders --for 30s --json orders.json", "half a minute of it, also for a program to read"),
        ("raceway watch --pid 4711 --once", "one look, for a script"),
        ("raceway watch --run --rate 200000", "the main job in this process, at 200,000 lines a second"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        bool runs = options.GetValue(_run);
        if (!runs && options.GetValue(_pid) is null && options.GetValue(_name) is null) return List();
        TimeSpan interval = options.GetValue(_interval) ?? TimeSpan.FromSeconds(1);
        if (options.GetValue(_for) is { } all && all < interval) interval = all;
        using var outputs = new Outputs(options.GetValue(_json), html: null);
        using EndlessMainJob? job = runs ? Run(options.GetValue(_rate), cancellation) : null;
        using IMeterFeed feed = job is not null
            ? new LocalMeterFeed("the main job in this process", job.Completion, interval)
            : RemoteMeterFeed.Attach(
                options.GetValue(_pid) is { } pid ? WatchTarget.Of(pid) : WatchTarget.Of(options.GetRequiredValue(_name)!), interval, cancellation);

        // One look is two ends of an interval.
        TimeSpan? limit = options.GetValue(_once) ? TimeSpan.Zero : options.GetValue(_for);
        var seen = new Dictionary<string, WatchedPipeline>();
        Watch(feed, seen, limit, showsAll: !options.GetValue(_once), cancellation);

        string? ending = cancellation.IsCancellationRequested ? "Interrupted: this is what was seen until then." : feed.Ending;
        var report = new Report($"raceway watch: {feed.Target}", [.. WatchReport.Parts(seen.Values, ending)]);
        ConsoleReport.Write(report, Console);
        outputs.Write(
            Result(
                options, "watch", MachineCard.Read(), [.. WatchReport.Rows(seen.Values, feed.Target)],
                ("target", feed.Target), ("interval", interval.TotalSeconds.ToString(CultureInfo.InvariantCulture))) with
            {
                Timelines = [.. seen.Values.SelectMany(one => one.Timelines(feed.Target))],
            },
            report);
        if (cancellation.IsCancellationRequested) return ExitCode.Interrupted;
        return job is { Completion.IsFaulted: true } ? ExitCode.Failed : ExitCode.Done;
    }

    private static EndlessMainJob Run(double? rate, CancellationToken cancellation)
    {
        InputSet input = InputFiles.Resolve([]);
        return new EndlessMainJob(LoadedInput.Load(input.Files, cancellation: cancellation), LineContestants.DefaultCapacity, rate);
    }

    // What was seen until it ends, for whatever reason, is the result.
    private void Watch(
        IMeterFeed feed, Dictionary<string, WatchedPipeline> seen, TimeSpan? limit, bool showsAll, CancellationToken cancellation) =>
        WatchView.Run(Console, feed.Target, show =>
        {
            try
            {
                while (feed.Next(cancellation) is { } frame)
                {
                    // Nothing is shown any more: what was seen is the result.
                    if (Console.Results is { HasNoReader: true } or { Fault: not null }) return;
                    bool hasSeen = seen.Count > 0;
                    var compared = new List<WatchedPipeline>();
                    foreach ((string name, PipelineSnapshot snapshot) in WatchedInstruments.PipelinesOf(frame))
                    {
                        if (!seen.TryAdd(name, new WatchedPipeline(name, snapshot)))
                        {
                            seen[name].Add(snapshot);
                            compared.Add(seen[name]);
                        }
                    }

                    if (compared.Count > 0 && showsAll) show(compared);
                    if (seen.Count == 0 && frame.At >= s_patience) throw NoPipelines(feed);
                    // Meters may go away while their process goes on: then nothing is left to be compared.
                    if (frame.At >= limit && (compared.Count > 0 || (hasSeen && frame.At >= s_patience))) return;
                }
            }
            catch (OperationCanceledException)
            {
                // The user has had enough.
            }

            if (seen.Count == 0 && feed.Ending is { } ending)
                throw new ToolException($"{ending} It had no pipelines to watch until then.", ExitCode.Failed);
        });

    private static ToolException NoPipelines(IMeterFeed feed) => new(
        $"{feed.Target} publishes no meter '{PipelineMeter.MeterName}'. Call pipeline.CreateMeter(name) in it.", ExitCode.Usage);

    private int List()
    {
        IReadOnlyList<WatchTarget> targets = WatchTarget.All();
        ReportPart[] parts = targets.Count == 0
            ? [new ReportText("No .NET process of this user runs that could be watched.")]
            :
            [
                new ReportTable(
                    "Processes of this user that can be watched: raceway watch --pid N",
                    [new("pid"), new("name", IsFigure: false), new("pipelines", IsFigure: false), new("command line", IsFigure: false)],
                    [
                        .. targets.Select(static target => (string[])
                        [
                            target.Id.ToString(CultureInfo.InvariantCulture), target.Name,
                            target.HasPipelines == true ? "loaded" : "not seen", Short(target.CommandLine),
                        ]),
                    ]),
            ];
        ConsoleReport.Write(new Report("raceway watch", parts), Console);
        return ExitCode.Done;
    }

    // The program and what it runs without their folders.
    private static string Short(string commandLine)
    {
        string text = string.Join(' ', commandLine.Split(' ').Select(static (word, n) => n < 2 ? Path.GetFileName(word) : word));
        return text.Length <= 60 ? text : text[..59] + "…";
    }
}
