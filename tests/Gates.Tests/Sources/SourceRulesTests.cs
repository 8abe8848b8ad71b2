using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using Raceway.Concurrency;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Gates.Tests.Sources;

/// <summary>What the shipped sources must not use. The ring's rules are stricter: every access to shared memory is one that can be checked.</summary>
public sealed partial class SourceRulesTests
{
    private const int MostLines = 300;

    /// <summary>State that rings share, each with its reason: a thread's own, or what a pool holds; never a ring's.</summary>
    private static readonly string[] s_shared =
    [
        "BlockedPoster.t_waiting", "ChunkPool`1.s_idleBytes", "ChunkPool`1.s_reviewed", "Magazines.s_pools", "Magazines.s_pools", "Magazines.t_mine",
        "Magazines.t_mine", "PoolThread.t_current", "Publisher`1.t_finds", "Reentrancy.t_handling", "Reentrancy.t_outer", "SerialQueue.t_own",
    ];

    /// <summary>The files that read a clock, or set a timer.</summary>
    private static readonly string[] s_clocks = ["MachineClock.cs", "Clock.cs", "Alarm.cs"];

    private static IEnumerable<(string File, string[] Lines)> Sources(string folder = "") =>
        Files($"src/{folder}").Select(file => (Path.GetFileName(file), File.ReadAllLines(file)));

    private static IEnumerable<string> Files(string folder) =>
        Directory.GetFiles(Path.Combine(Tree.Root, folder), "*.cs", SearchOption.AllDirectories)
            .Where(file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal));

    private static void AssertNowhere(Regex banned, string why, string folder = "", IReadOnlyList<string>? except = null)
    {
        List<string> found = [];
        foreach ((string file, string[] lines) in Sources(folder))
        {
            if (except?.Contains(file) is true) continue;
            for (int i = 0; i < lines.Length; i++)
                if (banned.IsMatch(lines[i].Split("//")[0])) found.Add($"{file}:{i + 1}: {lines[i].Trim()}");
        }

        Assert.True(found.Count == 0, $"{why}\n{string.Join('\n', found)}");
    }

    [Theory]
    [InlineData(@"\block\s*\(")]
    [InlineData(@"\bvolatile\b")]
    [InlineData(@"\bnew Lock\b")]
    [InlineData(@"System\.Threading\.")]
    [InlineData(@"Thread\.MemoryBarrier")]
    [InlineData(@"Thread\.Sleep")]
    public void Ring_Sources_DoNotUse(string banned)
    {
        Assert.InRange(Files("src/Ring").Count(), 40, int.MaxValue);
        AssertNowhere(new Regex(banned), "Shared memory is accessed by Volatile, Interlocked and Monitor, by their plain names.", "Ring");
    }

    [Theory]
    [InlineData("src/Ring")]
    [InlineData("tests/Ring.Tests")]
    public void Files_Length_IsWithinTheLimit(string folder) =>
        Assert.All(Files(folder), file => Assert.InRange(File.ReadAllLines(file).Length, 1, MostLines));

    [Fact]
    public void RingTests_Sources_DoNotSleep() =>
        Assert.All(
            Files("tests/Ring.Tests"),
            static file => Assert.DoesNotContain("Thread.Sleep(", File.ReadAllText(file), StringComparison.Ordinal));

    [Fact]
    public void Sources_AsyncVoid_IsNotUsed() => AssertNowhere(AsyncVoid(), "Its exceptions would end the process.");

    // Interop is the other way round: what pumps between two worlds has no caller to run on.
    [Theory]
    [InlineData("Ring")]
    [InlineData("Completing")]
    [InlineData("Concurrency")]
    [InlineData("Pipeline")]
    public void Sources_Tasks_AreStartedByTheEndOfARingOnly(string folder) => AssertNowhere(
        StartsTask(),
        "Only what ends a ring may run on the pool by itself (DisposeCoreAsync, FinishAsync); a caller goes on on its own scheduler.",
        folder);

    /// <summary>One place reads the machine's clock, and one the user's; each wait says by which of them it ends.</summary>
    [Theory]
    [InlineData("Ring")]
    [InlineData("Completing")]
    [InlineData("Concurrency")]
    [InlineData("Pipeline")]
    public void Sources_Time_IsReadByTheClocksOnly(string folder) => AssertNowhere(
        ReadsTime(),
        "A limit of the user's goes by a Clock, and what threads do by MachineClock; Alarm has the timers.",
        folder,
        s_clocks);

    [Fact]
    public void Sources_AnswersOfTryCalls_AreNotThrownAway() =>
        AssertNowhere(ThrowsAnswerAway(), "A Try call says whether it has done anything.");

    /// <summary>Addresses are made in few places; each says why they stay right.</summary>
    [Fact]
    public void Sources_AddressesOfMemory_HaveASafetyComment()
    {
        List<string> found = [];
        int places = 0;
        foreach ((string file, string[] lines) in Sources())
        {
            for (int i = 0; i < lines.Length; i++)
            {
                if (!MakesAddress().IsMatch(lines[i].Split("//")[0])) continue;
                places++;
                if (!lines[Math.Max(0, i - 6)..i].Any(line => line.Contains("// SAFETY:", StringComparison.Ordinal)))
                    found.Add($"{file}:{i + 1}: {lines[i].Trim()}");
            }
        }

        Assert.True(found.Count == 0, $"Why does it stay in bounds and alive?\n{string.Join('\n', found)}");
        Assert.InRange(places, 4, int.MaxValue);
    }

    [Fact]
    public void Assemblies_StaticFields_CannotBeChanged()
    {
        const BindingFlags All = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
        IEnumerable<string> found = new[] { typeof(Ring).Assembly, typeof(SerialExecutor).Assembly, typeof(Plan).Assembly }
            .SelectMany(assembly => assembly.GetTypes())
            .Where(type => !type.IsDefined(typeof(CompilerGeneratedAttribute)) && !type.Name.StartsWith('<'))
            .SelectMany(type => type.GetFields(All))
            .Where(field => field is { IsLiteral: false, IsInitOnly: false } && !field.Name.StartsWith('<'))
            .Select(field => $"{field.DeclaringType!.Name}.{field.Name}");
        Assert.Equal(s_shared, found.Order(StringComparer.Ordinal));
    }

    /// <summary>The document follows the code: a member that was renamed is found.</summary>
    [Fact]
    public void MemoryOrdering_MembersItNames_Exist()
    {
        string text = Tree.Read("docs", "memory-ordering.md");
        Type[] types = typeof(Ring).Assembly.GetTypes();
        List<string> missing = [];
        int named = 0;
        foreach (Match match in Named().Matches(text))
        {
            Type[] owners = [.. types.Where(type => type.Name.Split('`')[0] == match.Groups[1].Value)];
            if (owners.Length == 0) continue;
            named++;
            const BindingFlags All = BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;
            if (!owners.Any(type => type.GetMember(match.Groups[2].Value, All).Length > 0)) missing.Add(match.Value);
        }

        Assert.Empty(missing);
        Assert.InRange(named, 15, int.MaxValue);
    }

    [GeneratedRegex(@"\basync void\b")]
    private static partial Regex AsyncVoid();

    [GeneratedRegex(@"StartNew\((?!.*, scheduler\);)|Task\.Run\((?!DisposeCoreAsync\)|\(\) => FinishAsync\()")]
    private static partial Regex StartsTask();

    [GeneratedRegex(
        @"\bStopwatch\b|\bDateTime(?:Offset)?\.(?:Utc)?(?:Now|Today)\b|\bTask\.Delay\(|\bnew (?:\w+\.)*Timer\(|\bPeriodicTimer\b"
        + @"|\bTickCount|\bCancelAfter\(|new CancellationTokenSource\([^)]|\bThread\.Sleep\(|\bTimeProvider\.System\.")]
    private static partial Regex ReadsTime();

    // Somebody else may have completed it first: TrySet and TryComplete have no answer that matters.
    [GeneratedRegex(@"^\s*(?:_ = )?(?:await )?[\w.!?\[\]]*\bTry(?!Set|Complete)[A-Z]\w*\([^=?]*\);\s*$")]
    private static partial Regex ThrowsAnswerAway();

    [GeneratedRegex(@"Unsafe\.AsPointer\(|\bfixed \(|GetArrayDataReference\(")]
    private static partial Regex MakesAddress();

    [GeneratedRegex(@"`([A-Z]\w+)\.([A-Z]\w+)`")]
    private static partial Regex Named();
}
