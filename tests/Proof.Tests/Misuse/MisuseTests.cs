using System.Diagnostics;
using System.Globalization;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>
/// Two or three threads call any public member of what they share, in any order. Every outcome is one that is documented, and no
/// item is lost or doubled under a result that says that all is well.
/// </summary>
/// <remarks>
/// <para>Each kind of world runs in a child process (<see cref="MisuseProgram"/>): an abort fails a test with its seed, and does
/// not end the host. The calls of a case come from its seed; how threads interleave does not, so a failure is run again often.</para>
/// <para>A push makes 10⁶ calls from the seeds that follow RACEWAY_SEED, and some more from seeds of the day. The long set
/// (RACEWAY_LONG=1) is twenty times as many.</para>
/// </remarks>
[Collection(OneAtATime.Name)]
public sealed class MisuseTests(ITestOutputHelper output)
{
    private const int PartOfTheDay = 10;
    private static readonly TimeSpan s_most = TimeSpan.FromMinutes(10);

    private static readonly (string Kind, int Calls)[] s_kinds =
    [
        ("rings", 400_000), ("pipelines", 250_000), ("channels", 100_000), ("mailboxes", 120_000), ("executors", 120_000),
        ("scopes", 60_000), (Worlds.Unchecked, 200_000),
    ];

    public static TheoryData<string, int> Kinds()
    {
        TheoryData<string, int> kinds = [];
        foreach ((string kind, int calls) in s_kinds) kinds.Add(kind, calls);
        return kinds;
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Calls_AnyMemberThreadAndOrder_EndAsDocumentedAndLoseNothing(string kind, int calls)
    {
        int factor = Tally.IsLong ? 20 : 1;
        uint seed = (uint)Math.Abs((long)Seed.For(kind));
        await Run(kind, seed, (long)calls * factor);
        uint day = (uint)(DateTime.UtcNow - DateTime.UnixEpoch).TotalDays * 1_000_003;
        await Run(kind, day, (long)calls * factor / PartOfTheDay);
    }

    [Fact]
    public void Kinds_OfTheTable_AreAllThereAreAndEnough()
    {
        Assert.Equal([.. Worlds.Checked, Worlds.Unchecked], s_kinds.Select(static kind => kind.Kind));
        Assert.True(s_kinds.Sum(static kind => kind.Calls) >= 1_000_000);
    }

    // Of the process that ends by itself, all that it wrote; one that hangs is killed, and fails.
    private async Task Run(string kind, uint seed, long calls)
    {
        string program = Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") is { Length: > 0 } host ? host : "dotnet";
        var start = new ProcessStartInfo(program,
            ["exec", typeof(MisuseTests).Assembly.Location, "misuse", kind, $"{seed}", calls.ToString(CultureInfo.InvariantCulture)])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
        };
        // Its own minidump of an abort would be larger than its report is.
        start.Environment["DOTNET_DbgEnableMiniDump"] = "0";
        using Process child = Process.Start(start)!;
        Task<string> errors = child.StandardError.ReadToEndAsync();
        Task<string> said = child.StandardOutput.ReadToEndAsync();
        using var late = new CancellationTokenSource(s_most * (Tally.IsLong ? 20 : 1));
        bool hung = false;
        try
        {
            await child.WaitForExitAsync(late.Token);
        }
        catch (OperationCanceledException)
        {
            hung = true;
            child.Kill(entireProcessTree: true);
        }

        string[] lines = (await said).Split('\n');
        string last = lines.LastOrDefault(line => line.StartsWith(MisuseProgram.CasePrefix, StringComparison.Ordinal)) ?? "before the first case";
        string report = string.Join('\n', lines.Where(line => !line.StartsWith(MisuseProgram.CasePrefix, StringComparison.Ordinal)));
        string again = $"again: dotnet exec Raceway.Proof.Tests.dll misuse {kind} {last.Replace(MisuseProgram.CasePrefix, "", StringComparison.Ordinal)} one";
        Assert.False(hung, $"The child hangs in {last}; {again}\n{report}");
        Assert.True(child.ExitCode == 0, $"The child ended with {child.ExitCode} in {last}; {again}\n{report}\n{await errors}");
        string sum = lines.Last(line => line.StartsWith(MisuseProgram.CallsPrefix, StringComparison.Ordinal));
        long made = long.Parse(sum[MisuseProgram.CallsPrefix.Length..], CultureInfo.InvariantCulture);
        Assert.True(made >= calls);
        Tally.Add(Counted.Misuses, made);
        output.WriteLine($"{made} calls of {kind} from seed {seed}");
    }
}
