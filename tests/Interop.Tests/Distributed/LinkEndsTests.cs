using Raceway.Interop.Distributed;
using static Raceway.Interop.Tests.Distributed.Receiving;

namespace Raceway.Interop.Tests.Distributed;

/// <summary>The threads of a link's two ends, and what is said when one of them has been disposed of.</summary>
public sealed class LinkEndsTests
{
    [Fact]
    public async Task OnFrame_OfASecondThread_IsTakenAsWell()
    {
        await using Receiving receiving = await StartAsync();
        await receiving.Deliver(1, 1, FrameOf(0, 10));
        Exception? thrown = null;
        var other = new Thread(() => thrown = Record.Exception(() => receiving.Deliver(1, 2, FrameOf(1, 11)).AsTask().Wait()));
        other.Start();
        other.Join();
        Assert.Null(thrown);
        receiving.Driver.RunUntilIdle();
        Assert.Equal([10, 11], receiving.Items);
        Assert.Equal(0, receiving.Source.Statistics.Unacknowledged);
    }
}
