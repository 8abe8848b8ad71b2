using Raceway.Proof.Tests.Stress;

namespace Raceway.Proof.Tests.Memory;

/// <summary>The pool that all payload runs are on finds what it is there to find; and what it is told to be twice.</summary>
/// <remarks>
/// The payload configurations of the stress table run on it, each ending with a census: nothing leaked, nothing returned
/// twice, nothing written after its return.
/// </remarks>
public sealed class PoolTests
{
    private readonly PoisonPool _pool = new();

    [Fact]
    public void Return_Twice_Throws()
    {
        byte[] array = _pool.Rent(10);
        _pool.Return(array);
        Assert.Throws<InvalidOperationException>(() => _pool.Return(array));
        Assert.Contains("returned twice", _pool.Census(), StringComparison.Ordinal);
    }

    [Fact]
    public void Return_Foreign_Throws()
    {
        Assert.Throws<InvalidOperationException>(() => _pool.Return(new byte[10]));
        Assert.Equal(1, _pool.Misuses);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(PoisonPool.MostInQuarantine)]
    public void Write_AfterTheReturn_IsFound(int returnsAfterwards)
    {
        byte[] array = _pool.Rent(10);
        _pool.Return(array);
        Assert.All(array, each => Assert.Equal(PoisonPool.Poison, each));
        Assert.Equal("", _pool.Census());
        array[3] = 1;
        for (int i = 0; i < returnsAfterwards; i++) _pool.Return(_pool.Rent(1));
        Assert.Contains("after the return", _pool.Census(), StringComparison.Ordinal);
    }

    [Fact]
    public void Census_NotReturned_NamesIt()
    {
        _pool.Return(_pool.Rent(5));
        _pool.Rent(77);
        Assert.Contains("number 2 of 77 bytes", _pool.Census(), StringComparison.Ordinal);
    }

    [Fact]
    public void Rent_ReturnedBefore_IsAnotherArray()
    {
        byte[] array = _pool.Rent(10);
        _pool.Return(array);
        Assert.NotSame(array, _pool.Rent(10));
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    public async Task KeptPayload_GivenBackTwice_ThrowsAndIsReturnedOnce(ProducerKind kind)
    {
        var ring = new RingBuffer<Letter>(4, new RingOptions<Letter>
        {
            Producers = kind, MaxProducers = 2, Payload = static (ref Letter letter) => ref letter.Body,
            PayloadOptions = new PayloadOptions { Pool = _pool },
        });
        RetainedPayload kept = null!;
        Stage stage = ring.Subscribe((ref Letter letter) => kept = letter.Body.Retain(), new StageOptions { Drive = Drive.Caller });
        Producer<Letter> producer = kind == ProducerKind.Multi ? ring.CreateMultiProducer() : ring.CreateProducer();
        producer.PublishPayload([1, 2, 3], 0, static (ref Letter _, int _) => { });
        Assert.Equal(1, stage.Step().Count);
        await Watchdog.Await(ring.HaltAsync(), ring);
        Assert.Equal([1, 2, 3], kept.Memory.ToArray());
        Assert.Equal(1, _pool.Outstanding);
        kept.Dispose();
        Assert.Throws<ObjectDisposedException>(kept.Dispose);
        Assert.Throws<ObjectDisposedException>(() => kept.Memory.Length);
        Assert.Equal("", _pool.Census());
    }
}
