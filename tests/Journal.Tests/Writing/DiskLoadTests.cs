using Raceway.Interop.Journal.Writing;
using Raceway.Testing;
using Xunit;

namespace Raceway.Journal.Tests.Writing;

/// <summary>When the disk counts as busy with items.</summary>
public sealed class DiskLoadTests
{
    private const int Many = 256 << 10;

    private readonly VirtualTime _time = new();
    private readonly DiskLoad _load;

    public DiskLoadTests() => _load = new DiskLoad(_time);

    [Theory]
    [InlineData(Many, 26, true)]
    [InlineData(Many, 25, false)]
    [InlineData(Many - 1, 100, false)]
    public void IsHigh_ByTheShareOfLargeSyncs(int bytes, int share, bool isHigh)
    {
        Pass(100, bytes, share);
        Assert.Equal(isHigh, _load.IsHigh());
    }

    [Fact]
    public void IsHigh_AskedAgainAtOnce_SaysTheSame()
    {
        Pass(100, Many, 100);
        Assert.True(_load.IsHigh());
        Pass(9, 1, 9);
        Assert.True(_load.IsHigh());
        Pass(1, 1, 1);
        Assert.False(_load.IsHigh());
        Pass(9, Many, 9);
        Assert.False(_load.IsHigh());
        Pass(1, 1, 1);
        Assert.True(_load.IsHigh());
    }

    [Fact]
    public void IsHigh_ASyncThatTakesLong_CountsWhileItIsUnderWay_AndOnce()
    {
        long since = _load.Begin(Many);
        _time.Advance(TimeSpan.FromMilliseconds(40));
        Assert.True(_load.IsHigh());
        _time.Advance(TimeSpan.FromMilliseconds(5));
        Assert.Equal(TimeSpan.FromMilliseconds(45), _load.End(since));
        _time.Advance(TimeSpan.FromMilliseconds(20));
        Assert.False(_load.IsHigh());
    }

    // A sync of so many bytes ends now, and took so much of the time that passed.
    private void Pass(int milliseconds, int bytes, int took)
    {
        _time.Advance(TimeSpan.FromMilliseconds(milliseconds - took));
        long since = _load.Begin(bytes);
        _time.Advance(TimeSpan.FromMilliseconds(took));
        _load.End(since);
    }
}
