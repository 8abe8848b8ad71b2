using System.Buffers;

namespace Raceway.Rings.Tests;

/// <summary>What the pool of the payloads is told.</summary>
public sealed class PayloadPoolTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task ClearOnReturn_AsSet_IsWhatThePoolIsAskedFor(bool clear)
    {
        var pool = new AskedPool();
        var ring = new RingBuffer<Message>(2, new RingOptions<Message>
        {
            Payload = static (ref Message message) => ref message.Body,
            PayloadOptions = new PayloadOptions { Pool = pool, ClearOnReturn = clear },
        });
        Publish(ring.CreateProducer());
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal([clear], pool.Asked);
    }

    private static void Publish(SingleProducer<Message> producer)
    {
        using Claim<Message> claim = producer.Claim();
        claim.Slot.Body.Reserve(10);
        claim.Commit();
    }

    private sealed class AskedPool : ArrayPool<byte>
    {
        public List<bool> Asked { get; } = [];

        public override byte[] Rent(int minimumLength) => new byte[minimumLength];

        public override void Return(byte[] array, bool clearArray = false) => Asked.Add(clearArray);
    }
}
