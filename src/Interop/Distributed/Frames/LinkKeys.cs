using System.Buffers.Binary;
using System.Security.Cryptography;

namespace Raceway.Interop.Distributed;

/// <summary>The keys by which both sides of a link know each other's frames: HMAC-SHA256 over each frame.</summary>
/// <remarks>
/// <para>For links that others can write to. A frame's checksum finds bytes that have changed by accident; anyone can make one.
/// With keys, a frame that was forged or altered is parked and told of (<see cref="FrameError.Signature"/>).</para>
/// <para>To change a key: give every receiver the new one beside the old one, then let the senders sign with it, then take the
/// old one away when its last frame is handled. A receiver with keys takes no frame without a signature: turn keys on with
/// another <see cref="LinkAddress.Generation"/>.</para>
/// <para>A signed frame that is sent once more is no forgery: it is known, or it is handled again unless positions are kept
/// (<see cref="LinkOptions.PositionOf"/>). Items are not encrypted.</para>
/// <para><b>Threads</b>: immutable.</para>
/// <para><b>Cost</b>: 36 bytes a frame, and its hash on each side; nothing is allocated.</para>
/// </remarks>
/// <example>
/// <code>
/// var keys = new LinkKeys(signWith: 2, new Dictionary&lt;int, byte[]> { [1] = oldKey, [2] = key });
/// LinkOptions options = new() { Keys = keys };
/// </code>
/// </example>
public sealed class LinkKeys
{
    internal const int TrailerSize = sizeof(int) + HMACSHA256.HashSizeInBytes;

    private const int LeastLength = 16;

    private readonly Dictionary<int, byte[]> _keys = [];
    private readonly int _signWith;

    /// <summary>Keeps copies of the keys.</summary>
    /// <param name="signWith">The number of the key that frames are signed with.</param>
    /// <param name="keys">The keys by their numbers, 16 random bytes or more each; frames signed with any of them are taken.</param>
    /// <exception cref="ArgumentException">A key is too short, or the one to sign with is missing.</exception>
    public LinkKeys(int signWith, IReadOnlyDictionary<int, byte[]> keys)
    {
        ArgumentNullException.ThrowIfNull(keys);
        foreach ((int number, byte[] key) in keys)
            _keys[number] = key?.Length >= LeastLength ? [.. key] : throw LinkErrors.KeyLength(number, key?.Length ?? 0, LeastLength);
        if (!_keys.ContainsKey(signWith)) throw LinkErrors.KeyMissing(signWith, _keys.Keys);
        _signWith = signWith;
    }

    /// <summary>The keys' numbers, never the keys.</summary>
    public override string ToString() => $"keys {string.Join(", ", _keys.Keys.Order())}, signs with {_signWith}";

    /// <summary>Writes number and signature into the last bytes of <paramref name="frame"/>.</summary>
    internal void Sign(Span<byte> frame)
    {
        int end = frame.Length - HMACSHA256.HashSizeInBytes;
        BinaryPrimitives.WriteInt32LittleEndian(frame[(end - sizeof(int))..], _signWith);
        HMACSHA256.HashData(_keys[_signWith], frame[FrameHeader.ChecksumEnd..end], frame[end..]);
    }

    /// <summary>Whether <paramref name="frame"/>, a header and a trailer at least, was signed with one of the keys.</summary>
    internal bool Verify(ReadOnlySpan<byte> frame)
    {
        int end = frame.Length - HMACSHA256.HashSizeInBytes;
        int number = BinaryPrimitives.ReadInt32LittleEndian(frame[(end - sizeof(int))..]);
        if (!_keys.TryGetValue(number, out byte[]? key)) return false;
        Span<byte> expected = stackalloc byte[HMACSHA256.HashSizeInBytes];
        HMACSHA256.HashData(key, frame[FrameHeader.ChecksumEnd..end], expected);
        return CryptographicOperations.FixedTimeEquals(expected, frame[end..]);
    }
}
