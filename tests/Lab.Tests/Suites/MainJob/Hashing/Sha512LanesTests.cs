using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using System.Security.Cryptography;
using System.Text;
using Raceway.Suites.MainJob.Hashing;

namespace Raceway.Lab.Tests.Suites.MainJob.Hashing;

/// <summary>Digests of messages side by side are those of each alone, whatever their lengths and however many there are.</summary>
public sealed class Sha512LanesTests
{
    public static TheoryData<int> Widths => [1, 2, 4, 8];

    [Theory]
    [MemberData(nameof(Widths))]
    public void HashIn_EveryLengthOfTwoBlocks_IsTheDigest(int lanes) =>
        AssertDigests(lanes, [.. Enumerable.Range(0, 2 * 128 + 20).Select(Message)]);

    [Theory]
    [MemberData(nameof(Widths))]
    public void HashIn_LengthsAtRandom_AreTheDigests(int lanes)
    {
        var random = new Random(20 * lanes);
        for (int round = 0; round < 20; round++)
            AssertDigests(lanes, [.. Enumerable.Range(0, 64).Select(_ => Message(random.Next(5_001)))]);
    }

    // One long message beside short ones: lanes run dry, and it is finished alone.
    [Theory]
    [MemberData(nameof(Widths))]
    public void HashIn_AnyNumber_IsTheDigestOfEach(int lanes)
    {
        for (int count = 0; count <= 3 * lanes + 1; count++)
            AssertDigests(lanes, [.. Enumerable.Range(0, count).Select(i => Message(i == count / 2 ? 4_000 : i * 13))]);
    }

    // Its vectors lie on the stack, which begins at any multiple of 16.
    [Theory]
    [MemberData(nameof(Widths))]
    public void HashIn_WhereverTheStackIs_IsTheDigest(int lanes)
    {
        byte[][] messages = [.. Enumerable.Range(0, 20).Select(i => Message(i * 17))];
        for (int deeper = 0; deeper < 8; deeper++) AtDepth(16 * deeper, () => AssertDigests(lanes, messages));
    }

    [Fact]
    public void StackLinesOf_WhereverTheStackIs_BeginsACacheLine()
    {
        var left = new HashSet<int>();
        for (int deeper = 0; deeper < 8; deeper++) AtDepth(16 * deeper, () => left.Add(LeftOfTwoLines()));

        // 64 bytes lie at four places that are a multiple of 16: all were seen.
        Assert.Equal([80, 96, 112, 128], left.Order());
    }

    // FIPS 180-4's examples, as NIST publishes them.
    [Theory]
    [InlineData("", 1, "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e")]
    [InlineData("abc", 1, "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f")]
    [InlineData("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 1,
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909")]
    [InlineData("a", 1_000_000, "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b")]
    public void HashIn_TheStandardsExamples_HasTheirDigests(string text, int times, string digest)
    {
        byte[] message = Encoding.ASCII.GetBytes(string.Concat(Enumerable.Repeat(text, times)));
        foreach (int lanes in (int[])[1, 2, 4, 8])
        {
            if (!IsThere(lanes)) continue;
            var messages = new Messages([.. Enumerable.Repeat(message, lanes + 1)]);
            Sha512Batch.HashIn(lanes, messages);
            Assert.All(messages.Digests, one => Assert.Equal(digest, Convert.ToHexStringLower(one)));
        }
    }

    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1_000)]
    public void Hash_ByWhatIsFastestHere_IsTheDigest(int count)
    {
        var messages = new Messages([.. Enumerable.Range(0, count).Select(i => Message(i % 300))]);
        Sha512Batch.Hash(messages);
        messages.AreDigests();

        byte[] one = new byte[SHA512.HashSizeInBytes];
        Sha512Batch.Hash(Message(count), one);
        Assert.Equal(SHA512.HashData(Message(count)), one);
    }

    [Fact]
    public void Lanes_AreAsWideAsTheProcessorsVectors()
    {
        Assert.True(IsThere(Sha512Batch.Lanes));
        Assert.DoesNotContain((int[])[2, 4, 8], lanes => lanes > Sha512Batch.Lanes && IsThere(lanes));
    }

    private static int LeftOfTwoLines()
    {
        Span<byte> lines = StackLines.Of(stackalloc byte[2 * StackLines.Length]);
        Assert.Equal(0, Unsafe.ByteOffset(ref Unsafe.NullRef<byte>(), ref MemoryMarshal.GetReference(lines)) % 64);
        return lines.Length;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void AtDepth(int bytes, Action action)
    {
        Span<byte> above = stackalloc byte[bytes];
        action();
        above.Clear();
    }

    private static void AssertDigests(int lanes, byte[][] all)
    {
        Assert.SkipUnless(IsThere(lanes), $"this processor has no vectors of {64 * lanes} bits");
        var messages = new Messages(all);
        Sha512Batch.HashIn(lanes, messages);
        messages.AreDigests();
    }

    private static bool IsThere(int lanes) => lanes switch
    {
        8 => Avx512BW.IsSupported,
        4 => Avx2.IsSupported,
        2 => Vector128.IsHardwareAccelerated,
        _ => true,
    };

    private static byte[] Message(int length)
    {
        byte[] message = new byte[length];
        new Random(length).NextBytes(message);
        return message;
    }

    private sealed class Messages(byte[][] all) : IMessages
    {
        public byte[][] Digests { get; } = [.. all.Select(static _ => new byte[SHA512.HashSizeInBytes])];

        public int Count => all.Length;

        public ReadOnlySpan<byte> BytesOf(int index) => all[index];

        public Span<byte> DigestOf(int index) => Digests[index];

        public void AreDigests()
        {
            for (int i = 0; i < all.Length; i++)
                Assert.True(SHA512.HashData(all[i]).AsSpan().SequenceEqual(Digests[i]), $"message {i} of {all.Length}, {all[i].Length} bytes");
        }
    }
}
