namespace Raceway.Rings.Tests;

/// <summary>A ring that cannot end, as a caller never leaves its step, is looked at ever more rarely.</summary>
[Collection(AllocationGroup.Name)]
public sealed class EndAllocationTests
{
    // A look makes some 180 bytes: one each 50 ms a fifth of this, as many as there are ticks twice as much.
    private const long MostBytes = 5_000;

    private static readonly TimeSpan s_window = TimeSpan.FromMilliseconds(250);

    [Fact]
    public async Task Halt_CallerNeverLeavesItsStep_CostsNextToNothing()
    {
        using var entered = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        RingBuffer<long> ring = Make.Ring();
        Stage stage = ring.Subscribe(
            new BatchLambda<long>(_ =>
            {
                entered.Set();
                goOn.Wait();
            }),
            Make.Stepped());
        Make.Producer(ring).Publish(1);
        Task stepping = Watchdog.Run(() => stage.Step());
        await Watchdog.UntilAsync(() => entered.IsSet, ring);
        Task halt = ring.HaltAsync();

        // It begins with frequent looks: an end is mostly soon.
        long bytes = long.MaxValue;
        for (int i = 0; i < 40 && bytes > MostBytes; i++) bytes = await BytesAsync();

        Assert.False(halt.IsCompleted);
        goOn.Set();
        await Watchdog.Await(Task.WhenAll(stepping, halt), ring);
        Assert.InRange(bytes, 0, MostBytes);
    }

    private static async Task<long> BytesAsync()
    {
        long before = GC.GetTotalAllocatedBytes(precise: true);
        await Task.Delay(s_window);
        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }
}
