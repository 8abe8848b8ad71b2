using System.Reflection;
using System.Text.RegularExpressions;
using Raceway.Rings;

namespace Raceway.Gates.Tests.Code;

/// <summary>
/// On x64 most of the order comes for free, so that no test there can miss it. What the code has on ARM64 is written down in
/// arm64-ordering.txt, a row a method. This says what the compiler makes of the source, not that it has run on such a machine.
/// </summary>
public sealed partial class Arm64OrderingTests
{
    private const string TableFile = "arm64-ordering.txt";

    /// <summary>Types of which every method has a row that orders anything: here a new one must not slip in.</summary>
    private static readonly string[] s_complete =
    [
        "Progress", "Availability", "Control", "Lane", "Lanes", "Sequencer", "SingleProducer", "MultiProducer", "OpenProducer",
        "Claimer", "SingleClaimer", "MultiClaimer", "MultiClaims",
        "EventStage", "BatchStage", "DelegateStage", "AsyncStage", "PublishLoops", "WaitTarget", "PayloadEntry", "PayloadBuffer",
        "SlotSweeper", "Stage", "SequenceBarrier", "CallerStepping", "Reentrancy",
    ];

    [Arm64Fact]
    public async Task Code_Arm64_HasTheOrderingInstructionsOfTheTable()
    {
        SortedDictionary<string, string> actual = Rows(await Arm64Listing.RunAsync());
        SortedDictionary<string, string> expected = Table();
        Assert.True(expected.Count >= 60, $"Only {expected.Count} rows.");
        List<string> wrong = [];
        foreach ((string method, string instructions) in expected)
        {
            if (!actual.TryGetValue(method, out string? found)) wrong.Add($"{method} | not compiled");
            else if (found != instructions) wrong.Add($"{method} | {found}   (was: {instructions})");
        }

        foreach ((string method, string instructions) in actual)
        {
            // Names that the compiler of C# makes change with the source around them.
            if (method.Contains('<', StringComparison.Ordinal)) continue;
            if (!expected.ContainsKey(method) && instructions.Length > 0 && s_complete.Contains(TypeName().Match(method).Value))
                wrong.Add($"{method} | {instructions}   (new)");
        }

        Assert.True(
            wrong.Count == 0,
            $"The order of memory operations on ARM64 has changed. Where that is meant, put these into {TableFile}:\n"
            + string.Join('\n', wrong));
    }

    /// <summary>The barrier over all threads is a call, which a listing does not name.</summary>
    [Fact]
    public void ProcessWideBarrier_Code_IsCalledWhereItIsNeededOnly()
    {
        MethodInfo barrier = typeof(Interlocked).GetMethod(nameof(Interlocked.MemoryBarrierProcessWide))!;
        List<string> callers = [];
        const BindingFlags All = BindingFlags.DeclaredOnly | BindingFlags.Static | BindingFlags.Instance
            | BindingFlags.Public | BindingFlags.NonPublic;
        foreach (Type type in typeof(Ring).Assembly.GetTypes())
        {
            foreach (MethodInfo method in type.GetMethods(All))
                if (Calls(method, barrier)) callers.Add($"{type.Name}.{method.Name}");
        }

        Assert.Equal(
            ["Claimer.Dispose", "Progress.Arm", "Ring.Complete", "Ring.TrySeal", "Sequencer.AddGate"],
            callers.Order(StringComparer.Ordinal));
    }

    private static bool Calls(MethodInfo caller, MethodInfo called)
    {
        const byte Call = 0x28;
        byte[] code = caller.GetMethodBody()?.GetILAsByteArray() ?? [];
        for (int i = 0; i + 4 < code.Length; i++)
        {
            if (code[i] != Call) continue;
            try
            {
                if (called.Equals(caller.Module.ResolveMember(
                        BitConverter.ToInt32(code, i + 1), caller.DeclaringType!.GetGenericArguments(), []))) return true;
            }
            catch (Exception fault) when (fault is ArgumentException or BadImageFormatException)
            {
                // No call, but an operand that looks like one.
            }
        }

        return false;
    }

    // Instances of one method must not differ: they are one row.
    private static SortedDictionary<string, string> Rows(IReadOnlyList<(string Method, string Instructions)> listing)
    {
        var rows = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach ((string instance, string instructions) in listing)
        {
            string method = WithoutTypeArguments(instance);
            if (rows.TryGetValue(method, out string? other) && other != instructions)
                rows[method] = $"{other} / {instructions}";
            else rows[method] = instructions;
        }

        return rows;
    }

    // From the inside out; an array keeps its empty brackets.
    private static string WithoutTypeArguments(string name)
    {
        for (string rest = TypeArguments().Replace(name, ""); ; rest = TypeArguments().Replace(name, ""))
        {
            if (rest == name) return name;
            name = rest;
        }
    }

    private static SortedDictionary<string, string> Table()
    {
        var rows = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach (string line in File.ReadLines(Path.Combine(AppContext.BaseDirectory, "Code", TableFile)))
        {
            if (line.Length == 0 || line[0] == '#') continue;
            string[] parts = line.Split(" | ");
            rows.Add(parts[0], parts[1]);
        }

        return rows;
    }

    [GeneratedRegex(@"^\w+")]
    private static partial Regex TypeName();

    [GeneratedRegex(@"`\d+|\[\w[^\[\]]*\]")]
    private static partial Regex TypeArguments();
}
