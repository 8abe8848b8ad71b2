using System.CommandLine;
using System.Numerics;
using Raceway.Analysis.Layouts;
using Raceway.Lab.Layouts;
using Raceway.Measuring;

namespace Raceway.Lab.Cli;

/// <summary><c>raceway layout</c>: where the fields of a type lie, and which threads' fields share a cache line.</summary>
internal sealed class LayoutCommand : ToolCommand
{
    private const int LeastLine = 16;
    private const int MostLine = 4096;

    private readonly Argument<string[]> _types = new("TYPE")
    {
        Description = "Types as C# or reflection spells them, the namespace left out at will: 'List<int>', Outer.Inner, "
            + "'Counter[]' (its elements written by a thread each). '*' and 'My.*' are all of that name in --assembly. "
            + "Default: the types of --assembly that say [WrittenBy].",
        Arity = ArgumentArity.ZeroOrMore,
    };

    private readonly Option<string[]> _assembly = new("--assembly")
    {
        Description = "An assembly to find types in; what it depends on has to lie beside it. May be given several times.",
        HelpName = "FILE.dll",
    };

    private readonly Option<string[]> _writer = new("--writer")
    {
        Description = "The thread that writes a field: 'Tail=producer', 'QueueState.Tail=producer', '_state.Tail=producer'; the name of a "
            + "field that is a struct is for all in it. Goes before an attribute WrittenBy(\"thread\"), declared anywhere.",
        HelpName = "FIELD=THREAD",
    };

    private readonly Option<int?> _line = CommonOptions.Number<int>(
        "--line",
        $"a power of two from {LeastLine} to {MostLine}",
        static size => size is >= LeastLine and <= MostLine && BitOperations.IsPow2(size),
        "Bytes of a cache line, a power of two. Default: this machine's.");

    private readonly Option<bool> _pair = new("--pair")
    {
        Description = "Take two lines for one: some processors fetch them in pairs.",
    };

    private readonly Option<int?> _at = CommonOptions.Number<int>(
        "--at",
        $"a multiple of {IntPtr.Size} from 0 (objects begin nowhere else)",
        static at => at >= 0 && at % IntPtr.Size == 0,
        "How many bytes into a line the address is (of an object: what a reference holds), a multiple of 8. "
        + "Default: any place that the runtime may choose.");

    private readonly Option<bool> _live = new("--live")
    {
        Description = "Look at live objects even where making one runs initialisers of --assembly. No constructor is run.",
    };

    private readonly Option<bool> _self = new("--self")
    {
        Description = "Check Raceway's own types, and live rings of every CellPadding.",
    };

    private readonly Option<string?> _json = CommonOptions.Json();
    private readonly ToolSettings _settings;

    /// <summary>Creates the command.</summary>
    public LayoutCommand(ToolConsole console, ToolSettings settings)
        : base("layout", "Shows objects and structs as cache lines, and which threads' fields share one.", console)
    {
        _settings = settings;
        Add(_types);
        Add(_assembly);
        Add(_writer);
        Add(_line);
        Add(_pair);
        Add(_at);
        Add(_live);
        Add(_self);
        Add(_json);
        _writer.Validators.Add(static result =>
        {
            foreach (string given in result.Tokens.Select(static token => token.Value))
            {
                if (given.Split('=') is not [{ Length: > 0 }, { Length: > 0 }])
                    result.AddError($"--writer takes FIELD=THREAD, as in Tail=producer, but got '{given}'.");
            }
        });
        Validators.Add(result =>
        {
            if (result.GetResult(_types)?.Tokens is not { Count: > 0 }
                && result.GetResult(_assembly) is null && result.GetResult(_self) is null)
            {
                result.AddError("name a type, as in 'raceway layout 'List<int>'', or give --assembly or --self.");
            }
        });
    }

    /// <inheritdoc/>
    public override IReadOnlyList<(string CommandLine, string Does)> Examples =>
    [
        ("raceway layout 'Dictionary<string, long>'", "an object of the runtime, line by line"),
        ("raceway layout My.Queue --assembly bin/Release/net10.0/My.dll", "one of yours, by its [WrittenBy] attributes"),
        ("raceway layout My.Queue --assembly My.dll --writer Head=consumer --writer Tail=producer", "without attributes"),
        ("raceway layout 'Counter[]' --assembly My.dll", "whether neighbours in an array share a line"),
        ("raceway layout --assembly My.dll --pair", "all types that have [WrittenBy]; ends with 1 where writers share a line"),
        ("raceway layout --self", "checks Raceway's own objects"),
    ];

    /// <inheritdoc/>
    protected override int Execute(ParseResult options, CommandRun run)
    {
        CancellationToken cancellation = run.Cancellation;
        string? json = options.GetValue(_json);
        string[] files = options.GetValue(_assembly) ?? [];
        OutputGuard.RefuseInput(files, json);
        using var outputs = new Outputs(json, html: null);
        MachineCard machine = MachineCard.Read();
        int line = (options.GetValue(_line) ?? machine.LineSize) * (options.GetValue(_pair) ? 2 : 1);
        if (options.GetValue(_at) is { } at && at >= line)
            throw new ToolException($"--at takes less than a line of {line} B, but got {at}.", ExitCode.Usage);
        var lines = new CacheLines(line, options.GetValue(_at));
        using var assemblies = new InspectedAssemblies();
        foreach (string file in files) assemblies.Add(file);

        var layouts = new LayoutRun(Console, assemblies, lines, GivenWriters(options), options.GetValue(_live));
        if (options.GetValue(_self)) layouts.CheckSelf(_settings.OwnTypes);
        string[] types = options.GetValue(_types) ?? [];
        if (types.Length == 0 && files.Length > 0) layouts.ShowAttributed(cancellation);
        foreach (string type in types.TakeWhile(_ => !cancellation.IsCancellationRequested)) layouts.Show(type, cancellation);
        layouts.Finish();

        outputs.Write(Result(options, "layout", machine, layouts.Rows) with
        {
            Layouts = [.. layouts.Findings.Select(static one => one.ToResult())],
        });
        return cancellation.IsCancellationRequested ? ExitCode.Interrupted : layouts.ExitCode;
    }

    private IEnumerable<KeyValuePair<string, string>> GivenWriters(ParseResult options) =>
        (options.GetValue(_writer) ?? [])
            .Select(static given => given.Split('='))
            .GroupBy(static parts => parts[0])
            .Select(static group => KeyValuePair.Create(group.Key, group.Last()[1]));
}
