using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Raceway.Lab.Tests.Suites.JournalSuite;

/// <summary>What a trace of system calls says about items: which were on the disk when they were acknowledged.</summary>
/// <remarks>
/// An item is durable when a write with its bytes has returned and either its file was opened with <c>O_SYNC</c> or
/// <c>O_DSYNC</c>, or a sync of that file has returned which began after that. The trace is one of
/// <c>strace -f -y -xx</c>, which names the file behind each descriptor.
/// </remarks>
internal sealed partial class SyncTrace
{
    private readonly string _marks;
    private readonly string[] _items;
    private readonly Dictionary<string, Call> _running = [];
    private readonly HashSet<string> _writtenThrough = [];
    private readonly List<(int Item, string File, int At)> _written = [];
    private readonly HashSet<int> _durable = [];
    private int _line;

    private SyncTrace(string marks, IEnumerable<byte[]> items) =>
        (_marks, _items) = (marks, [.. items.Select(static item => string.Concat(item.Select(static one => $@"\x{one:x2}")))]);

    /// <summary>The calls that it reads, for <c>-e trace=</c>.</summary>
    public const string Calls = "openat,write,writev,pwrite64,pwritev,fdatasync,fsync";

    /// <summary>Acknowledgements found.</summary>
    public int Acknowledged { get; private set; }

    /// <summary>Items that were not durable when they were acknowledged.</summary>
    public List<int> TooEarly { get; } = [];

    /// <summary>Reads a trace.</summary>
    /// <param name="lines">Its lines.</param>
    /// <param name="marks">The file into which each acknowledgement is a write.</param>
    /// <param name="items">The bytes of the items, in the order of their acknowledgements.</param>
    public static SyncTrace Read(IEnumerable<string> lines, string marks, IEnumerable<byte[]> items)
    {
        var trace = new SyncTrace(marks, items);
        foreach (string line in lines) trace.Take(line);
        return trace;
    }

    private void Take(string line)
    {
        _line++;
        if (Resumed().Match(line) is { Success: true } resumed)
        {
            if (!_running.Remove(resumed.Groups["thread"].Value, out Call begun)) return;
            End(begun with { Arguments = begun.Arguments + resumed.Groups["arguments"].Value }, resumed.Groups["result"].Value);
            return;
        }

        if (Begun().Match(line) is not { Success: true } match) return;
        var call = new Call(match.Groups["name"].Value, match.Groups["arguments"].Value, _line);
        if (FileOf(call.Arguments) == _marks && call.Name != "openat") Acknowledge();
        if (match.Groups["result"] is { Success: true } result) End(call, result.Value);
        else _running[match.Groups["thread"].Value] = call;
    }

    private void Acknowledge()
    {
        if (!_durable.Contains(Acknowledged)) TooEarly.Add(Acknowledged);
        Acknowledged++;
    }

    private void End(Call call, string result)
    {
        if (result.StartsWith('-') || result.StartsWith('?')) return;
        switch (call.Name)
        {
            case "openat":
                if (WritesThrough().IsMatch(call.Arguments)) _writtenThrough.Add(FileOf(result));
                break;
            case "fdatasync" or "fsync":
                _durable.UnionWith(_written.Where(one => one.File == FileOf(call.Arguments) && one.At < call.At).Select(static one => one.Item));
                break;
            default:
                Wrote(FileOf(call.Arguments), call.Arguments);
                break;
        }
    }

    private void Wrote(string file, string arguments)
    {
        for (int item = 0; item < _items.Length; item++)
        {
            if (!arguments.Contains(_items[item], StringComparison.Ordinal)) continue;
            _written.Add((item, file, _line));
            if (_writtenThrough.Contains(file)) _durable.Add(item);
        }
    }

    // The first name between angle brackets. With -xx it is written byte by byte, as the data is.
    private static string FileOf(string text)
    {
        string name = File().Match(text).Groups[1].Value;
        return name.StartsWith(@"\x", StringComparison.Ordinal)
            ? Encoding.UTF8.GetString([.. name.Split(@"\x")[1..].Select(static one => byte.Parse(one, NumberStyles.HexNumber, CultureInfo.InvariantCulture))])
            : name;
    }

    [GeneratedRegex(@"^(?<thread>\d+)\s+(?<name>\w+)\((?<arguments>.*?)(?: <unfinished \.\.\.>|\)\s+= (?<result>.*))$")]
    private static partial Regex Begun();

    [GeneratedRegex(@"^(?<thread>\d+)\s+<\.\.\. \w+ resumed>(?<arguments>.*)\)\s+= (?<result>.*)$")]
    private static partial Regex Resumed();

    [GeneratedRegex(@"\bO_D?SYNC\b")]
    private static partial Regex WritesThrough();

    [GeneratedRegex("<([^>]*)>")]
    private static partial Regex File();

    private readonly record struct Call(string Name, string Arguments, int At);
}
