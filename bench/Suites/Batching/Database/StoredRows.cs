using System.Data.Common;

namespace Raceway.Suites.Batching.Database;

/// <summary>Rows as a database gives them back: an id and a body, by id.</summary>
internal static class StoredRows
{
    /// <summary>Whether they are the first messages of a corpus, each once and under its index.</summary>
    /// <param name="rows">The rows, an id and a body each; read to their end.</param>
    /// <param name="corpus">The messages.</param>
    /// <param name="jobs">How many.</param>
    public static bool AreFirst(DbDataReader rows, Corpus corpus, long jobs)
    {
        Fold stored = default;
        byte[] body = [];
        while (rows.Read())
        {
            if (rows.GetInt64(0) != stored.Count) return false;
            int length = (int)rows.GetBytes(1, 0, null, 0, 0);
            if (body.Length < length) body = new byte[length];
            stored.Take(body.AsSpan(0, (int)rows.GetBytes(1, 0, body, 0, length)));
        }

        return stored.IsSameAs(Fold.Of(corpus, jobs));
    }
}
