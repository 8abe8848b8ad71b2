namespace Raceway.Suites.MainJob.Hashing;

/// <summary>Messages, and room for the digest of each.</summary>
internal interface IMessages
{
    /// <summary>How many there are.</summary>
    int Count { get; }

    /// <summary>The bytes of one.</summary>
    ReadOnlySpan<byte> BytesOf(int index);

    /// <summary>Where its digest goes: 64 bytes.</summary>
    Span<byte> DigestOf(int index);
}
