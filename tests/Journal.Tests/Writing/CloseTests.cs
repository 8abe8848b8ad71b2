using Raceway.Journal.Tests.Support;

namespace Raceway.Journal.Tests.Writing;

/// <summary>A journal that is closed while other threads use it.</summary>
public sealed class CloseTests
{
    // An item at the place of the closing mark would be acknowledged, and then overwritten.
    [Fact]
    public void Close_WhileTheStageStores_KeepsWhatIsAcknowledged()
    {
        SimulatedDisk disk = Kit.Hundred();
        Journal<long> journal = Kit.Open(disk);
        Exception? refused = CloseBeside(disk, journal, () => journal.Store(5));
        Assert.IsType<ObjectDisposedException>(refused);
        using Journal<long> again = Kit.Open(disk);
        Assert.Equal(new JournalFound(0, 100, 0, WasClosed: true), again.Found);
    }

    [Fact]
    public void Close_ByTwoThreads_IsClosedOnceAndSucceedsForBoth()
    {
        SimulatedDisk disk = Kit.Hundred();
        Journal<long> journal = Kit.Open(disk);
        Assert.Null(CloseBeside(disk, journal, journal.Close));
        Assert.True(JournalFolder.Inspect(disk).WasClosed);
    }

    // What a failed sync has lost would be durable by the word of the next one.
    [Fact]
    public void Close_WaitsForASyncThatFails_FailsAsWell()
    {
        SimulatedDisk disk = Kit.Hundred();
        Journal<long> journal = Kit.Open(disk);
        Exception? thrown = null;
        var closing = new Thread(() => thrown = Record.Exception(journal.Close));
        int sync = disk.Calls + 2;
        disk.Plan = call =>
        {
            if (call != sync) return DiskFault.None;
            closing.Start();
            SpinWait.SpinUntil(() => closing.ThreadState is ThreadState.Stopped or ThreadState.WaitSleepJoin);
            return DiskFault.Error;
        };

        Assert.IsType<JournalException>(Record.Exception(() => journal.Store(5)));
        closing.Join();

        Assert.IsType<JournalException>(thrown);
        Assert.Equal(100, journal.DurableSequence + 1);
        Assert.False(JournalFolder.Inspect(disk).WasClosed);
    }

    [Fact]
    public void Close_ItsMarkCannotBeWritten_SaysThatTheJournalHasFailed()
    {
        SimulatedDisk disk = Kit.Hundred();
        Journal<long> journal = Kit.Open(disk);
        int mark = disk.Calls + 1;
        disk.Plan = call => call == mark ? DiskFault.Error : DiskFault.None;
        Assert.IsType<JournalException>(Record.Exception(journal.Close));
        Assert.False(JournalFolder.Inspect(disk).WasClosed);
    }

    // "Until it is opened again" would be no remedy.
    [Fact]
    public void Open_ASyncFails_SaysThatItCannotBeUsed()
    {
        SimulatedDisk disk = Kit.Hundred();
        Kit.Open(disk).Close();
        int calls = disk.Calls;
        List<string> messages = [];
        for (int fails = calls + 1; messages.Count == 0 || messages[^1].Length > 0; fails++)
        {
            SimulatedDisk copy = disk.Copy();
            int at = fails - calls;
            copy.Plan = call => call == at ? DiskFault.Error : DiskFault.None;
            Exception? refused = Record.Exception(() => Kit.Open(copy).Dispose());
            if (refused is not null) Assert.IsType<JournalException>(refused);
            messages.Add(refused?.Message ?? "");
        }

        Assert.All(messages[..^1], static message => Assert.Contains("cannot be used", message, StringComparison.Ordinal));
    }

    // Closes it; when the mark is written, another thread goes as far as it can.
    private static Exception? CloseBeside(SimulatedDisk disk, Journal<long> journal, Action beside)
    {
        Exception? thrown = null;
        var other = new Thread(() => thrown = Record.Exception(beside));
        int mark = disk.Calls + 1;
        disk.Plan = call =>
        {
            if (call == mark)
            {
                other.Start();
                SpinWait.SpinUntil(() => other.ThreadState is ThreadState.Stopped or ThreadState.WaitSleepJoin);
            }

            return DiskFault.None;
        };
        journal.Close();
        other.Join();
        return thrown;
    }
}
