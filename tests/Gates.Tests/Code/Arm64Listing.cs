using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Code;

/// <summary>A test that needs the compiler for ARM64; says so where there is none.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class Arm64FactAttribute : FactAttribute
{
    public Arm64FactAttribute([CallerFilePath] string? file = null, [CallerLineNumber] int line = -1)
        : base(file, line)
    {
        if (Arm64Listing.Compiler is null) Skip = "not run: crossgen2 is pinned for Linux on x64 only";
    }
}

/// <summary>The instructions that order memory in what the runtime's own compiler makes of the shipped assembly for ARM64.</summary>
internal static partial class Arm64Listing
{
    /// <summary>Path of crossgen2, where this system has it.</summary>
    public static string? Compiler { get; } = typeof(Arm64Listing).Assembly
        .GetCustomAttributes<AssemblyMetadataAttribute>().FirstOrDefault(one => one.Key == "Crossgen2")?.Value;

    /// <summary>Method → its ordering instructions as they stand in the code; instances of a generic method apart.</summary>
    public static async Task<IReadOnlyList<(string Method, string Instructions)>> RunAsync()
    {
        string folder = Directory.CreateTempSubdirectory("raceway-arm64").FullName;
        try
        {
            string listing = Path.Combine(folder, "listing");
            await CompileAsync(folder, listing);
            return [.. Parse(File.ReadLines(listing))];
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    // The program with the instances and the ring together: code of the one is compiled into the other as at run time.
    private static async Task CompileAsync(string folder, string listing)
    {
        string[] arguments =
        [
            .. new[] { "Raceway.Codegen.dll", "Raceway.Rings.dll" }.Select(name => Path.Combine(AppContext.BaseDirectory, name)),
            "--composite", "--inputbubble", "-o", Path.Combine(folder, "compiled"), "--targetarch:arm64", "--targetos:linux",
            "-r", Path.Combine(RuntimeEnvironment.GetRuntimeDirectory(), "*.dll"), "-O", "--parallelism:1",
            $"--codegenopt:JitStdOutFile={listing}", "--codegenopt:JitDisasm=Raceway.*:*", "--codegenopt:JitDisasmDiffable=1",
        ];
        var start = new ProcessStartInfo(Compiler!, arguments) { RedirectStandardOutput = true, RedirectStandardError = true };
        using Process process = Process.Start(start)!;
        Task<string> output = process.StandardOutput.ReadToEndAsync();
        string errors = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.True(process.ExitCode == 0, $"crossgen2 ended with {process.ExitCode}: {await output}{errors}");
    }

    private static IEnumerable<(string Method, string Instructions)> Parse(IEnumerable<string> lines)
    {
        string? method = null;
        List<string> found = [];
        foreach (string line in lines)
        {
            Match header = Header().Match(line);
            if (header.Success)
            {
                if (method is not null) yield return (method, string.Join(' ', found));
                method = Short(header.Groups[1].Value);
                found.Clear();
            }
            else if (Ordering().Match(line) is { Success: true } instruction)
            {
                found.Add(instruction.Groups[1].Value + (instruction.Groups[2].Success ? "." + instruction.Groups[2].Value : ""));
            }
        }

        if (method is not null) yield return (method, string.Join(' ', found));
    }

    private static string Short(string name) =>
        name.Replace("Raceway.Rings.", "", StringComparison.Ordinal).Replace("Raceway.Codegen.", "", StringComparison.Ordinal)
            .Replace("System.Threading.", "", StringComparison.Ordinal).Replace("System.", "", StringComparison.Ordinal)
            .Replace(":this", "", StringComparison.Ordinal);

    [GeneratedRegex(@"^; Assembly listing for method (.*) \(\w+\)$")]
    private static partial Regex Header();

    // Acquire and release, atomics, barriers, and the exclusive pairs that stand in for atomics.
    [GeneratedRegex(@"^\s+((?:ld(?:apr|apur|ar)|stl(?:ur|r)|ldaxr|stlxr|ldxr|stxr|swp|cas|ldadd|ldset|ldclr)[a-z]*|dmb)\b(?:\s+(ish\w*))?")]
    private static partial Regex Ordering();
}
