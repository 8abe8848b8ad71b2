namespace Raceway.Proof.Tests.Stress;

/// <summary>The bytes of an item: length and content follow from its key.</summary>
internal static class Bodies
{
    public const int MaxLength = 160;

    /// <summary>Longer ones go back to the pool at once, so that the pool is at work too.</summary>
    public const int KeepLength = 128;

    /// <summary>Every so many items a stage keeps the payload beyond its slot.</summary>
    private const int RetainEvery = 257;

    public static int LengthOf(long key) => (int)(Item.CheckOf(key) % (MaxLength + 1));

    // Never the pool's poison.
    private static byte ByteOf(long key) => (byte)(key % 200);

    public static void Write(ref Payload body, long key) => body.Reserve(LengthOf(key)).Fill(ByteOf(key));

    public static void Fill(Span<byte> bytes, long key) => bytes.Fill(ByteOf(key));

    public static bool IsRight(ReadOnlySpan<byte> bytes, long key) =>
        bytes.Length == LengthOf(key) && bytes.IndexOfAnyExcept(ByteOf(key)) < 0;

    public static bool IsRetained(long key) => Item.CheckOf(key) % RetainEvery == 0;
}
