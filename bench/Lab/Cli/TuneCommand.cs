using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Raceway.Analysis.Tuning;
using Raceway.Lab.Reporting;
using Raceway.Measuring;
using Raceway.Suites.MainJob;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway tune</c>: which settings suit a goal, on a pipeline of the tool's or of the user's.</summary>
internal sealed class TuneCommand : ToolCommand
{
    // What the whole command takes of its budget at most, and what the search does.
    private const double Tolerance = 1.1;
    private const double SearchShare = 0.93;

    private readonly ToolSettings _settings;
    private readonly Option<string> _scenario = new("--scenario")
    {
        Description = TuneScenarios.Sentence,
        HelpName = "NAME",
        DefaultValueFactory = static _ => "main-job",
    };

    private readonly Option<string?> _assembly = new("--assembly")
    {
        Description = "The assembly of a pipeline of yours: a class that implements Raceway.Pipelines.ITrial<T>. It runs in a process of its own.",
        HelpName = "FILE",
    };

    private readonly Option<string?> _type = new("--type")
    {
        Description = "The name of that class, where the assembly has several.",
        HelpName = "T",
    };

    private readonly Option<string> _goal = new("--goal")
    {
        Description = "What to be good at: throughput, p99 (of a typical window of 10 ms), cpu, or several with weights, "
            + "as in throughput=1,p99=2.",
        HelpName = "GOAL",
        DefaultValueFactory = static _ => TuneGoal.Throughput,
    };

    private readonly Option<double?> _rate = CommonOptions.Number<double>(
        "--rate", TuneOptions.Rates, TuneOptions.CanBePaced,
        "Items a second that must be carried: latency and processor time are measured at this rate. Default: "
            + TuneOptions.DefaultRate.ToString("N0", CultureInfo.InvariantCulture) + ", or that of a replay.");

    private readonly Option<string> _arrivals = new("--arrivals")
    {
        Description = $"How items come at that rate: {ArrivalPattern.Kinds}. A file has a timestamp a line.",
        HelpName = "KIND",
        DefaultValueFactory = static _ => "constant",
    };

    private readonly Option<TimeSpan?> _budget = CommonOptions.Time(
        "--budget", TimeSpan.FromSeconds(5), TimeSpan.FromHours(1), "How long it may take, such as 60s or 2m, and a tenth of that on top at most. Default: 60s.");

    private readonly Option<int> _seed = new("--seed")
    {
        Description = "Decides what is drawn at random; the same one draws the same again.",
        HelpName = "N",
        DefaultValueFactory = static _ => 1,
    };

    private readonly Option<string[]> _now = new("--now")
    {
        Description = "What the pipeline runs under today, by the words of the tables, as in plan=fused wait=adaptive batch=256. "
            + "Default: as it is defined, under Plan.Auto.",
        HelpName = "KNOB=VALUE",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<string[]> _check = new("--check")
    {
        Description = "Does not search: measures the choices of earlier runs (--json) beside the best five of a full grid.",
        HelpName = "FILE",
        AllowMultipleArgumentsPerToken = true,
    };

    private readonly Option<string?> _json = CommonOptions.Json();
    private readonly Option<string?> _html = CommonOptions.Html();

    /// <summary>Creates the command.</summary>
    public TuneCommand(ToolConsole console, ToolSettings settings)
        : base(
            "tune",
            "Finds the dispatch, batches, wait, capacity, plan, placement and padding that suit a goal, and says how sure that is.",
            console)
    {
        _settings = settings;
        foreach (Option option in new Option[]
            { _scenario, _assembly, _type, _goal, _rate, _arrivals, _budget, _seed, _now, _check, _json, _html })
        {
            Add(option);
        }

        _scenario.Validators.Add(static result => Refuse(result, "--scenario takes", static text =>
        {
            if (!TuneScenarios.All.ContainsKey(text))
                throw new FormatException($"one of {string.Join(", ", TuneScenarios.All.Keys)}; there is no '{text}'.");
        }));
        _goal.Validators.Add(static result => Refuse(result, "--goal:", static text => TuneGoal.Parse(text)));
        _arrivals.Validators.Add(static result => Refuse(result, "--arrivals:", static text => ArrivalPattern.Parse(text)));
        // Together: a limit of batches may need another one beside it.
        _now.Validators.Add(static result => Refuse(
            result, "--now:", () => Knobs.ToSettings(TodayOf([.. result.Tokens.Select(static token => token.Value)]))));
        Validators.Add(result =>
        {
            bool own = result.GetResult(_assembly) is { Implicit: false };
            if (own && result.GetResult(_scenario) is { Implicit: false })
                result.AddError("--assembly and --scenario name two pipelines; leave one of them out.");
            if (!own && result.GetResult(_type) is { Implicit: false })
                result.AddError("--type names a class of an assembly; give --assembly as well.");
        });
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway tune", "the main job, for throughput, within a minute"),
        ("raceway tune --goal p99 --rate 1000000 --arrivals poisson", "for the latency of 99 of 100 lines of a typical window, at a million a second"),
        ("raceway tune --goal throughput=1,cpu=2 --seed 7 --json tuned.json", "for both, with a weight; also for raceway report"),
        ("raceway tune --assembly bin/MyApp.dll --type MyApp.Orders --budget 2m", "a pipeline of your own"),
        ("raceway tune --assembly bin/MyApp.dll --now plan=fused wait=busy-spin", "beside what it runs under today"),
        ("raceway tune --check tuned.json tuned-2.json", "whether these choices are as good as the best of a full grid"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        string[] files = options.GetValue(_check) ?? [];
        OutputGuard.RefuseTwice(options.GetValue(_json), options.GetValue(_html));
        string[] read = options.GetValue(_assembly) is { } dll ? [.. files, dll] : files;
        OutputGuard.RefuseInput(read, options.GetValue(_json), options.GetValue(_html));
        using var outputs = new Outputs(options.GetValue(_json), options.GetValue(_html));
        TuneOptions tuning = OptionsOf(options);
        TimeSpan limit = tuning.Limit ?? tuning.Budget;
        run.Bound(limit * Tolerance);

        // The search ends a little earlier: what hangs then has to be ended, and the result written.
        var search = new Search(new TimeBudget(run.Clock, limit * SearchShare), cancellation);
        try
        {
            TunedChoice[] checks = [.. files.Select(static file => TunedChoice.Of(file, ResultInput.Read(file)))];
            ITrialHost host = HostOf(options, search.Ending);
            try
            {
                return files.Length > 0
                    ? Check(options, run, search, host, tuning, checks, outputs)
                    : Tune(options, run, search, host, tuning, outputs);
            }
            finally
            {
                (host as IDisposable)?.Dispose();
            }
        }
        catch (OperationCanceledException) when (search.IsOver)
        {
            throw new ToolException(
                $"the first run did not end within the budget of {TimeText.Of(limit)}, and nothing was measured. Give more, or see whether it hangs.",
                ExitCode.Failed);
        }
        catch (Exception error) when (error is TuneException or FormatException)
        {
            throw new ToolException(error.Message, error is TuneException { IsHang: true } ? ExitCode.Failed : ExitCode.Usage, error);
        }
    }

    private int Tune(ParseResult options, CommandRun run, Search search, ITrialHost host, TuneOptions tuning, Outputs outputs)
    {
        MachineCard machine = MachineCard.Read();
        TuneResult result;
        using (var progress = new ProgressLine(Console))
        {
            var tuner = new Tuner(host, tuning, progress) { Today = TodayOf(options.GetValue(_now) ?? []), Within = search.Budget };
            run.IfStuck(ending => ReportSoFar(options, machine, host.Name, tuning, tuner.SoFar, ending, outputs));
            result = tuner.Run(search.Ending);
        }

        run.BeginReport();
        var report = new Report($"raceway tune: {result.Target}", [.. TuneReport.Tables(result), .. search.Said])
        {
            Answer = [.. TuneReport.Answer(result)], Method = [TuneReport.Method(result)], Machine = machine,
        };
        outputs.Write(
            Result(
                options, "tune", machine, TuneReport.Rows(result),
                [.. Described(tuning, host.Name, Knobs.NameOf(result.Chosen)), .. search.Described]) with
            {
                Curves = result.Curves, Timelines = result.Timelines,
            },
            report);
        ConsoleReport.Write(report, Console);
        return run.Cancellation.IsCancellationRequested ? ExitCode.Interrupted
            : result.Finalists.Count == 0 && search.IsOver ? ExitCode.Failed
            : ExitCode.Done;
    }

    private void ReportSoFar(
        ParseResult options, MachineCard machine, string target, TuneOptions tuning, IReadOnlyList<ResultRow> rows, string ending,
        Outputs outputs)
    {
        var report = new Report(
            $"raceway tune: {target}",
            rows.Count == 0 ? [] : [RowsReport.Of("What was tried until then", rows, ["latency-p99", "cpu"])])
        {
            Answer = [new ReportText($"Nothing is chosen: {ending}, and the search did not end within its time.", IsResult: true)],
            Machine = machine,
        };
        outputs.Write(Result(options, "tune", machine, rows, Described(tuning, target, null)), report);
        ConsoleReport.Write(report, Console);
    }

    private int Check(
        ParseResult options, CommandRun run, Search search, ITrialHost host, TuneOptions tuning, TunedChoice[] choices, Outputs outputs)
    {
        TunedChoice first = choices[0];
        if (choices.FirstOrDefault(one => one.Target != host.Name || one.Asked != first.Asked) is { } odd)
        {
            throw new ToolException(
                $"'{odd.File}' is of {odd.Target}, for {odd.Asked}; all must be of {host.Name}, the first is for {first.Asked}. Check them apart.",
                ExitCode.Usage);
        }

        // What is replayed may be gone: better said now than by every setting that is tried.
        ArrivalPattern.Parse(first.Arrivals);

        // What is asked is what the choices were made for.
        tuning = tuning with { Goal = TuneGoal.Parse(first.Goal), Rate = first.Rate, Arrivals = first.Arrivals };
        MachineCard machine = MachineCard.Read();
        TuneCheckResult result;
        using (var progress = new ProgressLine(Console))
            result = TuneCheck.Run(host, tuning, [.. choices.Select(static one => one.Knobs)], search.Budget, progress, search.Ending);

        run.BeginReport();
        var report = new Report($"raceway tune --check: {host.Name}", [.. TuneReport.Tables(result), .. search.Said])
        {
            Answer = [TuneReport.Answer(result)], Method = [TuneReport.Method(result)], Machine = machine,
        };
        outputs.Write(
            Result(options, "tune-check", machine, TuneReport.Rows(result), [.. Described(tuning, host.Name, null), .. search.Described]), report);
        ConsoleReport.Write(report, Console);
        return run.Cancellation.IsCancellationRequested ? ExitCode.Interrupted : result.Holds ? ExitCode.Done : ExitCode.Failed;
    }

    private ITrialHost HostOf(ParseResult options, CancellationToken cancellation)
    {
        if (options.GetValue(_assembly) is not { } assembly) return TuneScenarios.All[options.GetRequiredValue(_scenario)].Create();
        if (!File.Exists(assembly)) throw new TuneException($"there is no file '{assembly}'. Build your project, and give the .dll that it makes.");
        if (FileKind.IsSpecial(assembly)) throw new TuneException($"'{assembly}' is a device, pipe or socket. Give the .dll that a build of your project made.");
        return RemoteTrialHost.Start(
            (requests, answers) => TuneHostCommand.Start(assembly, options.GetValue(_type), requests, answers), cancellation);
    }

    private TuneOptions OptionsOf(ParseResult options)
    {
        ArrivalPattern arrivals = ArrivalPattern.Parse(options.GetRequiredValue(_arrivals));
        return _settings.Tune with
        {
            Goal = TuneGoal.Parse(options.GetRequiredValue(_goal)),
            Budget = options.GetValue(_budget) ?? _settings.Tune.Budget,
            Rate = options.GetValue(_rate) ?? (arrivals is ReplayedArrivals replay ? RateOf(replay) : null),
            Arrivals = options.GetRequiredValue(_arrivals),
            Seed = options.GetValue(_seed),
        };
    }

    private static IEnumerable<(string, string)> Described(TuneOptions tuning, string target, string? chosen) =>
    [
        (TunedChoice.TargetOption, target),
        (TunedChoice.GoalOption, tuning.Goal.ToString()),
        (TunedChoice.ArrivalsOption, tuning.Arrivals),
        ("seed", tuning.Seed.ToString(CultureInfo.InvariantCulture)),
        ("budget", tuning.Budget.TotalSeconds.ToString(CultureInfo.InvariantCulture)),
        .. tuning.Rate is { } rate ? [(TunedChoice.RateOption, rate.ToString("R", CultureInfo.InvariantCulture))] : Array.Empty<(string, string)>(),
        .. chosen is null ? Array.Empty<(string, string)>() : [(TunedChoice.ChosenOption, chosen)],
    ];

    private static Dictionary<string, string> TodayOf(IReadOnlyList<string> words)
    {
        var today = new Dictionary<string, string>();
        foreach (string word in words)
        {
            string[] pair = word.Split('=', 2);
            if (pair.Length < 2 || !(KnobSpace.All.Any(one => one.Knob == pair[0]) || pair[0].StartsWith(Knobs.OfStage, StringComparison.Ordinal)))
                throw new FormatException($"a knob is one of {string.Join(", ", KnobSpace.All.Select(static one => one.Knob))}, as in wait=park; got '{word}'.");
            today[pair[0]] = pair[1];
        }

        return today;
    }

    private static double RateOf(ReplayedArrivals replay) => TuneOptions.CanBePaced(replay.Rate)
        ? replay.Rate
        : throw new ToolException(
            string.Create(
                CultureInfo.InvariantCulture,
                $"a replay must have from 100 to 100000000 items a second: '{replay.File}' has {replay.Rate:G6}. Give --rate as well."),
            ExitCode.Usage);

    // Whatever a reader of the word throws is the answer.
    private static void Refuse(OptionResult result, string before, Action<string> read)
    {
        foreach (Token token in result.Tokens) Refuse(result, before, () => read(token.Value));
    }

    private static void Refuse(OptionResult result, string before, Action read)
    {
        try
        {
            read();
        }
        catch (FormatException error)
        {
            result.AddError($"{before} {error.Message}");
        }
    }
}
