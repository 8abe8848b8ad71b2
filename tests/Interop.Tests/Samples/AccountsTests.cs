using Raceway.Interop.Tests.RabbitMq;
using Raceway.Tests.Support.Proof;

namespace Raceway.Interop.Tests.Samples;

/// <summary>samples/Accounts: however often it is killed, the state is that of a run without interruption, and each reply is there once.</summary>
public sealed class AccountsTests(ITestOutputHelper output)
{
    private static int Kills => Tally.IsLong ? 500 : 20;

    [Fact]
    public async Task Run_KilledAtRandomMoments_HasTheStateOfAWholeRunAndEachReplyOnce()
    {
        using var run = new AccountsRun(usesBroker: false);
        await run.RunWholeAsync();
        await run.KillAsync(Kills);
        output.WriteLine($"{run.WholeResult}; {Kills} kills within {run.Took.TotalMilliseconds:F0} ms each, {run.Midway} midway, {run.Done} done before");
        Tally.Add(Counted.Faults, Kills);
    }

    /// <summary>The check of the sample can fail: a reply is there twice, is missing, is wrong; a command is not the one stored.</summary>
    [Fact]
    public async Task Verify_OfRepliesThatAreNotRight_SaysSo()
    {
        using var run = new AccountsRun(usesBroker: false);
        await run.RunWholeAsync();
        string file = Path.Combine(run.Whole, "replies.txt");
        string[] lines = await File.ReadAllLinesAsync(file);
        foreach (string[] wrong in (string[][])[[lines[0], .. lines], [.. lines[..9], .. lines[10..]], [.. lines[..^1], $"{lines[^1][..^1]}{(lines[^1][^1] == '1' ? '2' : '1')}"]])
        {
            await File.WriteAllTextAsync(file, string.Join('\n', wrong) + "\n");
            Assert.StartsWith("wrong: ", await AccountsRun.EndAsync(run.Start("verify", run.Whole), exitCode: 1), StringComparison.Ordinal);
        }

        await File.WriteAllTextAsync(file, string.Join('\n', lines) + "\n");
        Assert.StartsWith("right: ", await AccountsRun.EndAsync(run.Start("verify", run.Whole)), StringComparison.Ordinal);
        string commands = Path.Combine(run.Whole, "commands");
        byte[] bytes = await File.ReadAllBytesAsync(commands);
        bytes[16] ^= 1;
        await File.WriteAllBytesAsync(commands, bytes);
        Assert.StartsWith("wrong: ", await AccountsRun.EndAsync(run.Start("verify", run.Whole), exitCode: 1), StringComparison.Ordinal);
    }

    /// <summary>The journal cannot tell that its end was lost; what lies outside of it can.</summary>
    [Fact]
    public async Task Run_WithRepliesThatDoNotFitItsJournal_Refuses()
    {
        using var run = new AccountsRun(usesBroker: false);
        await run.RunWholeAsync();
        string other = await run.PrepareAsync();
        File.Move(Path.Combine(run.Whole, "replies.txt"), Path.Combine(other, "replies.txt"));
        foreach (string folder in (string[])[other, run.Whole])
            Assert.Contains("Restore what was lost", await AccountsRun.EndAsync(run.Start("run", folder), exitCode: 2), StringComparison.Ordinal);
    }
}

/// <summary>The same with commands and replica over RabbitMQ.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class AccountsBrokerTests(ITestOutputHelper output)
{
    private static int Kills => Tally.IsLong ? 100 : 4;

    [BrokerFact]
    public async Task Run_OverTheBrokerAndKilledAtRandomMoments_HasTheStateOfAWholeRunAndEachReplyOnce()
    {
        using var run = new AccountsRun(usesBroker: true);
        await run.RunWholeAsync();
        await run.KillAsync(Kills);
        output.WriteLine($"{run.WholeResult}; {Kills} kills within {run.Took.TotalMilliseconds:F0} ms each, {run.Midway} midway, {run.Done} done before");
        Tally.Add(Counted.Faults, Kills);
    }
}
