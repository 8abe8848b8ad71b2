namespace Raceway.Pipelines.Tests.Topology;

/// <summary>Where keys belong, which partitions and stored data rely on: the same in every process, and in every version.</summary>
public sealed class KeyHashTests
{
    [Fact]
    public void Of_KnownKeys_IsWhatItHasAlwaysBeen()
    {
        Assert.Equal("dd4ee9e2be71bcf6", $"{KeyHash.Of(42L):x16}");
        Assert.Equal("dd4ee9e2be71bcf6", $"{KeyHash.Of(42):x16}");
        Assert.Equal("1f9b169def102dca", $"{KeyHash.Of(ulong.MaxValue):x16}");
        Assert.Equal("4dc5cb099b32a319", $"{KeyHash.Of(-1):x16}");
        Assert.Equal("fe13680b84014d72", $"{KeyHash.Of(Guid.Parse("00112233-4455-6677-8899-aabbccddeeff")):x16}");
        Assert.Equal("0000000000000000", $"{KeyHash.Of(""):x16}");
        Assert.Equal("c8de5d50131231cc", $"{KeyHash.Of("orders"):x16}");
        Assert.Equal("f80366b823c6e970", $"{KeyHash.Of("a key longer than a word"):x16}");
        Assert.Throws<ArgumentNullException>(static () => KeyHash.Of<string>(null!));
    }

    [Fact]
    public void LaneOf_AnyHash_IsOneOfTheLanes()
    {
        Assert.Equal([0, 1, 2, 3], new[] { 0x0000_0000_ffff_ffffUL, 0x4000_0000_0000_0000UL, 0xbfff_ffff_ffff_ffffUL, ulong.MaxValue }.Select(static hash => KeyHash.LaneOf(hash, 4)));
        Assert.Equal(0, KeyHash.LaneOf(ulong.MaxValue, 1));
        Assert.Throws<ArgumentOutOfRangeException>(static () => KeyHash.LaneOf(1, 0));
    }
}
