using System.Security.Cryptography;
using Raceway.Suites.MainJob.Hashing;

namespace Raceway.Suites.Batching.Hash;

/// <summary>SHA-512 of each message: side by side in the lanes of vectors where a call has several, else by what is fastest alone.</summary>
internal sealed class HashWork : FoldedWork
{
    private const int DigestSize = SHA512.HashSizeInBytes;

    // By the runtime's own SHA-512, not by the code that is measured.
    private static readonly ulong[] s_expected =
        [.. Enumerable.Range(0, Corpus.Count).Select(static i => BitConverter.ToUInt64(SHA512.HashData(Corpus.Lines[i])))];

    private byte[] _digests = [];

    public override void Do(ReadOnlySpan<Job> jobs)
    {
        if (_digests.Length < jobs.Length * DigestSize) _digests = new byte[jobs.Length * DigestSize];
        if (jobs.Length == 1) Sha512Batch.Hash(Corpus.Lines[jobs[0].Index], _digests.AsSpan(0, DigestSize));
        else Sha512Batch.Hash(new Messages(jobs, _digests));
        for (int i = 0; i < jobs.Length; i++) Take(BitConverter.ToUInt64(_digests, i * DigestSize));
    }

    protected override ulong[] Expected => s_expected;

    private readonly ref struct Messages(ReadOnlySpan<Job> jobs, Span<byte> digests) : IMessages
    {
        private readonly ReadOnlySpan<Job> _jobs = jobs;
        private readonly Span<byte> _digests = digests;

        public int Count => _jobs.Length;

        public ReadOnlySpan<byte> BytesOf(int index) => Corpus.Lines[_jobs[index].Index];

        public Span<byte> DigestOf(int index) => _digests.Slice(index * DigestSize, DigestSize);
    }
}
