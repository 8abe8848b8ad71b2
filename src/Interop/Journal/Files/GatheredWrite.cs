using System.Buffers;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Raceway.Interop.Journal.Files;

/// <summary>Writes pieces of memory by one call, <c>pwritev</c>, without copying them together.</summary>
/// <remarks>The runtime's own gathering write allocates two arrays per call; these are kept. <b>Threads</b>: one at a time.</remarks>
internal sealed unsafe partial class GatheredWrite
{
    // As many as every Linux takes at once.
    private const int Most = 1024;

    /// <summary>Whether this system has the call. A process of 32 bits has another one.</summary>
    public static bool IsThere => OperatingSystem.IsLinux() && Environment.Is64BitProcess;

    private readonly MemoryHandle[] _pins = new MemoryHandle[Most];
    private readonly Piece[] _pieces = new Piece[Most];

    /// <summary>Writes as much as the system takes at once.</summary>
    public int Write(SafeFileHandle file, ReadOnlySpan<ReadOnlyMemory<byte>> pieces, long at)
    {
        int count = Math.Min(pieces.Length, Most);
        int pinned = 0;
        try
        {
            for (; pinned < count; pinned++)
            {
                _pins[pinned] = pieces[pinned].Pin();
                _pieces[pinned] = new Piece { Start = _pins[pinned].Pointer, Length = (nuint)pieces[pinned].Length };
            }

            // SAFETY: every piece stays pinned until the call has returned, and its length is the one that was pinned
            // (GatheredTests).
            fixed (Piece* first = _pieces)
            {
                while (true)
                {
                    nint written = Write(file, first, count, at);
                    if (written >= 0) return (int)written;
                    SystemCalls.ThrowUnlessInterrupted("pwritev");
                }
            }
        }
        finally
        {
            for (int i = 0; i < pinned; i++) _pins[i].Dispose();
        }
    }

    [LibraryImport("libc", EntryPoint = "pwritev", SetLastError = true)]
    private static partial nint Write(SafeFileHandle file, Piece* pieces, int count, long at);

    [StructLayout(LayoutKind.Sequential)]
    private struct Piece
    {
        public void* Start;
        public nuint Length;
    }
}
