using Raceway.Analysis.Layouts;
using Raceway.Lab.Cli;
using Raceway.Measuring;

namespace Raceway.Lab.Layouts;

/// <summary>One call of <c>raceway layout</c>: shows what it can, says of the rest why not.</summary>
internal sealed class LayoutRun(
    ToolConsole console,
    InspectedAssemblies assemblies,
    CacheLines lines,
    IEnumerable<KeyValuePair<string, string>> given,
    bool mayRunCode)
{
    private const string ArraySuffix = "[]";
    private readonly LayoutText _text = new(console);
    private readonly TypeFinder _finder = new(assemblies);
    private readonly FieldWriters _writers = new(given);
    private readonly List<LayoutFinding> _findings = [];
    private readonly List<ResultRow> _rows = [];
    private int _refused;
    private bool _isBroken;

    /// <summary>What was shown.</summary>
    public IReadOnlyList<LayoutFinding> Findings => _findings;

    /// <summary>What was checked of Raceway's own.</summary>
    public IReadOnlyList<ResultRow> Rows => _rows;

    /// <summary>How the process ends: wrong usage goes before lines that are shared.</summary>
    public int ExitCode => _refused > 0 ? Cli.ExitCode.Usage
        : _isBroken || _findings.Exists(static one => one.Shared.Count > 0) ? Cli.ExitCode.Failed
        : Cli.ExitCode.Done;

    /// <summary>Shows a type, or all types of the given assemblies with a name that matches.</summary>
    public void Show(string name, CancellationToken cancellation)
    {
        if (IsPattern(name))
        {
            ShowAll(_finder.Matching(name), $"named '{name}'", static _ => true, cancellation);
            return;
        }

        Guarded(() =>
        {
            Type type = _finder.Find(name);
            bool asArray = name.EndsWith(ArraySuffix, StringComparison.Ordinal) && type.GetElementType() is { IsValueType: true };
            Show(asArray ? type.GetElementType()! : type, asArray);
        });
    }

    /// <summary>Shows the types of the given assemblies that name the threads which write their fields.</summary>
    public void ShowAttributed(CancellationToken cancellation) =>
        ShowAll(_finder.Matching("*"), "with a field that says [WrittenBy]", _writers.HasAny, cancellation);

    /// <summary>Checks Raceway's own types and live rings.</summary>
    public void CheckSelf(IReadOnlyList<Type> types)
    {
        _text.Wrapped($"Raceway's own hot state, by lines of {lines.Size} B:", "");
        foreach (OwnCheck check in OwnTypes.CheckKnown(types).Concat(OwnTypes.Check(types, lines)).Concat(OwnRings.Check(lines)))
        {
            _isBroken |= !check.Holds;
            _text.Wrapped($"{(check.Holds ? "ok  " : "FAIL")}  {check.Name}: {check.Text}", "  ");
            _rows.Add(new ResultRow
            {
                Case = "self",
                Contestant = check.Name,
                Metric = "keeps-its-lines",
                Unit = "yes",
                Median = check.Holds ? 1 : 0,
                Rounds = 1,
                Verified = check.Holds,
                Note = check.Text,
            });
        }

        _text.Wrapped(
            $"{_rows.Count(static row => row.Verified)} of {_rows.Count} hold{(_isBroken ? ": mend the others." : ".")}", "");
    }

    /// <summary>Says what was given and met nothing.</summary>
    public void Finish()
    {
        foreach (string name in _writers.Unused)
            Refuse($"--writer names '{name}', but no type shown has such a field. Write it as in the column 'field'.");
        if (_writers.Unread.Count > 0)
        {
            console.Error.WriteLine(
                $"raceway: the attributes of {LayoutFinding.Listed([.. _writers.Unread])} cannot be read, since their "
                + "assembly is missing: name the threads that write these fields by --writer.");
        }
    }

    // 'int*' is a pointer, 'My.*' a pattern.
    private static bool IsPattern(string name) =>
        name.Contains('*', StringComparison.Ordinal) && (!name.EndsWith('*') || name.Length == 1 || name[^2] == '.');

    private void ShowAll(
        IEnumerable<IndexedType> types, string which, Func<Type, bool> isWanted, CancellationToken cancellation)
    {
        int shown = _findings.Count;
        int refused = _refused;
        int left = 0;
        foreach (IndexedType one in types.TakeWhile(_ => !cancellation.IsCancellationRequested))
        {
            Guarded(() =>
            {
                Type type = assemblies.Load(one);
                if (!isWanted(type)) return;
                if (LayoutInspector.Refusal(type) is null) Show(type, asArray: false);
                else left++;
            });
        }

        if (left > 0)
            console.Error.WriteLine($"raceway: left out {left} of them: interfaces, static classes and open generic types.");
        if (_findings.Count == shown && _refused == refused)
            Refuse($"there is no type {which} in the assemblies given. Name one, or mark fields as docs/layouts.md says.");
    }

    private void Show(Type type, bool asArray)
    {
        LayoutFinding finding = LayoutFinding.Of(LayoutInspector.Inspect(type, _writers, mayRunCode), lines, asArray);
        _findings.Add(finding);
        _text.Write(finding);
    }

    // One that cannot be shown does not keep the others from it.
    private void Guarded(Action show)
    {
        try
        {
            show();
        }
        catch (Exception error) when (error is ToolException or LayoutException)
        {
            Refuse(error.Message);
        }
    }

    private void Refuse(string why)
    {
        _refused++;
        console.Error.WriteLine($"raceway: {why}");
    }
}
