using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;

namespace Raceway.Suites.MainJob.Hashing;

/// <summary>Hashes many messages, several side by side: a block of each lane's message at a time.</summary>
/// <remarks>
/// A lane takes the next message when its own is through, so messages of any lengths keep all lanes busy. When no message is left for a
/// lane, the others are finished one by one, from where they are.
/// </remarks>
/// <typeparam name="T">A word of each lane.</typeparam>
/// <typeparam name="TWords">What is done with them.</typeparam>
internal static class Sha512Lanes<T, TWords>
    where T : unmanaged
    where TWords : struct, IWords<T>
{
    private const int BlockBytes = Sha512Compression.BlockWords * sizeof(ulong);

    // Two rounds of eight lanes: time enough for a line from memory, and few enough lines to stay in the first cache.
    private const int Ahead = 16;

    // A one behind the message, and its length in 16 bytes.
    private const int LeastPadding = 17;

    /// <summary>How many messages lie side by side.</summary>
    public static int Lanes => Unsafe.SizeOf<T>() / sizeof(ulong);

    /// <summary>Hashes all of <paramref name="messages"/>.</summary>
    public static void Hash<TMessages>(TMessages messages)
        where TMessages : IMessages, allows ref struct
    {
        Span<byte> memory = StackLines.Of(stackalloc byte[BytesFor(Unsafe.SizeOf<T>()) + StackLines.Length]);
        Span<byte> padded = memory[..BlockBytes];
        Span<T> words = MemoryMarshal.Cast<byte, T>(memory[BlockBytes..]);
        Span<T> state = words[..Sha512Compression.StateWords];
        Span<T> block = words.Slice(Sha512Compression.StateWords, Sha512Compression.BlockWords);
        Span<ulong> states = MemoryMarshal.Cast<T, ulong>(state);
        Span<Lane> lanes = stackalloc Lane[Lanes];
        int next = 0;
        foreach (ref Lane lane in lanes)
        {
            lane.Index = next++;
            Begin(states[(lane.Index % Lanes)..]);
        }

        // The lanes hold messages next - Lanes to next - 1, while there are as many.
        while (next <= messages.Count)
        {
            for (int i = 0; i < lanes.Length; i++)
                Load<T, TWords>(messages.BytesOf(lanes[i].Index), lanes[i].Offset, padded, block[i..], Lanes);
            for (int row = 0; row < block.Length; row += Lanes) TWords.Transpose(block.Slice(row, Lanes));
            Sha512Compression.Compress<T, TWords>(state, block);
            for (int i = 0; i < lanes.Length; i++)
            {
                ref Lane lane = ref lanes[i];
                lane.Offset += BlockBytes;
                if (!IsThrough(messages.BytesOf(lane.Index).Length, lane.Offset)) continue;
                Write(states[i..], Lanes, messages.DigestOf(lane.Index));
                lane = new Lane { Index = next++ };
                Begin(states[i..]);
                if (next + Ahead < messages.Count) Prefetch(messages.BytesOf(next + Ahead), messages.DigestOf(next + Ahead));
            }
        }

        for (int i = 0; i < lanes.Length; i++)
            if (lanes[i].Index < messages.Count) Finish(messages, lanes[i], padded, states[i..]);
    }

    private static void Finish<TMessages>(TMessages messages, Lane lane, Span<byte> padded, ReadOnlySpan<ulong> states)
        where TMessages : IMessages, allows ref struct
    {
        Span<ulong> state = stackalloc ulong[Sha512Compression.StateWords];
        Span<ulong> block = stackalloc ulong[Sha512Compression.BlockWords];
        for (int word = 0; word < state.Length; word++) state[word] = states[word * Lanes];
        ReadOnlySpan<byte> bytes = messages.BytesOf(lane.Index);
        for (int offset = lane.Offset; !IsThrough(bytes.Length, offset); offset += BlockBytes)
        {
            Load<ulong, OneWord>(bytes, offset, padded, block, 1);
            Sha512Compression.Compress<ulong, OneWord>(state, block);
        }

        Write(state, 1, messages.DigestOf(lane.Index));
    }

    // A message that was written long ago, or by another processor, comes from a far cache. So it is asked for before its turn.
    // Processors without the instruction load it when it is used. A prefetch never faults and changes nothing: a pointer that the
    // collector has outdated asks for the wrong line, no more.
    private static unsafe void Prefetch(ReadOnlySpan<byte> message, Span<byte> digest)
    {
        if (!Sse.IsSupported) return;
        ref byte first = ref MemoryMarshal.GetReference(message);
        Sse.Prefetch0(Unsafe.AsPointer(ref first));
        Sse.Prefetch0(Unsafe.AsPointer(ref Unsafe.Add(ref first, 64)));
        Sse.Prefetch0(Unsafe.AsPointer(ref MemoryMarshal.GetReference(digest)));
    }

    // What Hash works in: a padded block, and the state and a block of each lane.
    private static int BytesFor(int wordBytes) =>
        BlockBytes + ((Sha512Compression.StateWords + Sha512Compression.BlockWords) * wordBytes);

    private static bool IsThrough(int length, int offset) => offset >= length + LeastPadding;

    private static void Begin(Span<ulong> states)
    {
        ReadOnlySpan<ulong> initial = Sha512Compression.Initial;
        for (int word = 0; word < initial.Length; word++) states[word * Lanes] = initial[word];
    }

    // The sixteen words of the block that begins at the offset, as many in a row as there are lanes; each row a stride behind the last.
    // Where the message ends before the block, it is padded in the place given for that.
    // Optimized at once: a busy core may take long to compile it a second time.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static void Load<TRow, TRows>(ReadOnlySpan<byte> message, int offset, Span<byte> padded, Span<TRow> rows, int stride)
        where TRow : unmanaged
        where TRows : struct, IWords<TRow>
    {
        ReadOnlySpan<byte> bytes;
        if (message.Length - offset >= BlockBytes)
        {
            bytes = message.Slice(offset, BlockBytes);
        }
        else
        {
            int left = message.Length - offset;
            padded.Clear();
            if (left >= 0)
            {
                message[offset..].CopyTo(padded);
                padded[left] = 0x80;
            }

            if (left + LeastPadding <= BlockBytes) BinaryPrimitives.WriteUInt64BigEndian(padded[^sizeof(ulong)..], (ulong)message.Length * 8);
            bytes = padded;
        }

        ReadOnlySpan<TRow> parts = MemoryMarshal.Cast<byte, TRow>(bytes);
        for (int i = 0; i < parts.Length; i++) rows[i * stride] = BitConverter.IsLittleEndian ? TRows.Reverse(parts[i]) : parts[i];
    }

    private static void Write(ReadOnlySpan<ulong> states, int stride, Span<byte> digest)
    {
        for (int word = 0; word < Sha512Compression.StateWords; word++)
            BinaryPrimitives.WriteUInt64BigEndian(digest[(word * sizeof(ulong))..], states[word * stride]);
    }

    // A message under way, and where its next block begins.
    private struct Lane
    {
        public int Index;
        public int Offset;
    }
}
