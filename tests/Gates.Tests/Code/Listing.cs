using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Code;

/// <summary>What the compiler made of one method, at its last and best.</summary>
internal sealed record CompiledMethod(string Name, string Tier, IReadOnlyList<string> Lines)
{
    /// <summary>The lines between the target of each jump backwards and that jump: what runs once an item, not once a call.</summary>
    public IReadOnlyList<string> Loops()
    {
        var labels = new Dictionary<string, int>(StringComparer.Ordinal);
        bool[] inLoop = new bool[Lines.Count];
        for (int i = 0; i < Lines.Count; i++)
        {
            string line = Lines[i];
            if (line.StartsWith("G_M", StringComparison.Ordinal)) labels[line.TrimEnd(':')] = i;
            Match jump = Regex.Match(line, @"^j\w+ (?:SHORT )?(G_M\w+)");
            if (jump.Success && labels.TryGetValue(jump.Groups[1].Value, out int target))
                Array.Fill(inLoop, true, target, i - target + 1);
        }

        return [.. Lines.Where((_, i) => inLoop[i])];
    }
}

/// <summary>The compiler's listing of a run of <c>Raceway.Codegen</c>.</summary>
internal static class Listing
{
    // No more than is looked at: what other threads compile at the same time must not be written into the listing.
    private const string Wanted =
        "Raceway.Codegen.*:* Raceway.Rings.*Producer*:* Raceway.Rings.*Claimer:* Raceway.Rings.*Stage*:* Raceway.Rings.Slots*:View "
        + "Raceway.Rings.Slots*:Run Raceway.Rings.LaneSlots*:Find Raceway.Rings.Lanes:* Raceway.Rings.StampScan:Run "
        + "Raceway.Rings.Progress:Advance Raceway.Rings.Availability:* Raceway.Rings.AdaptiveWaiting:Progressed";
    private const string Header = "; Assembly listing for method ";
    private static readonly Lazy<Task<IReadOnlyDictionary<string, CompiledMethod>>> s_methods = new(RunAsync);

    /// <summary>The methods by name; the program is run once.</summary>
    public static Task<IReadOnlyDictionary<string, CompiledMethod>> Methods => s_methods.Value;

    private static async Task<IReadOnlyDictionary<string, CompiledMethod>> RunAsync()
    {
        string file = Path.GetTempFileName();
        try
        {
            await CodegenProgram.RunAsync(
                [],
                new()
                {
                    ["DOTNET_JitStdOutFile"] = file,
                    ["DOTNET_JitDisasm"] = Wanted,
                    ["DOTNET_JitDisasmDiffable"] = "1",
                    ["DOTNET_JitDisasmOnlyOptimized"] = "1",
                    ["DOTNET_TieredCompilation"] = "1",
                    ["DOTNET_TC_CallCountingDelayMs"] = "0",
                    // No loop is replaced while it runs: what the loop's own thread compiles then is compiled beside others.
                    ["DOTNET_TC_OnStackReplacement_InitialCounter"] = "7FFFFFFF",
                    // What a profile would improve by guessing is not certain; and the same code must come out every time.
                    ["DOTNET_TieredPGO"] = "0",
                });
            return Parse(await File.ReadAllLinesAsync(file));
        }
        finally
        {
            File.Delete(file);
        }
    }

    private static Dictionary<string, CompiledMethod> Parse(string[] text)
    {
        var methods = new Dictionary<string, CompiledMethod>(StringComparer.Ordinal);
        List<string>? lines = null;
        string name = "";
        string tier = "";
        foreach (string line in text)
        {
            if (line.StartsWith(Header, StringComparison.Ordinal))
            {
                Assert.True(lines is null, $"Two listings were written through each other: {name}, {line}. See Raceway.Codegen.");
                int at = line.LastIndexOf(" (", StringComparison.Ordinal);
                name = line[Header.Length..at];
                tier = line[(at + 2)..^1];
                lines = [];
            }
            else if (line.StartsWith("; Total bytes of code", StringComparison.Ordinal) && lines is not null)
            {
                methods[name] = new CompiledMethod(name, tier, lines);
                lines = null;
            }
            else if (lines is not null && line.Length > 0 && line[0] != ';')
            {
                lines.Add(Regex.Replace(line.Trim(), @"\s+", " "));
            }
        }

        return methods;
    }
}
