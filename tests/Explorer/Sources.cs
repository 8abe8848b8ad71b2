using System.Reflection;
using System.Security.Cryptography;
using System.Text;

namespace Raceway.Explorer;

/// <summary>Which of the shipped files are compiled in here.</summary>
internal static class Sources
{
    public static string Describe()
    {
        string root = typeof(Sources).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(data => data.Key == "RingSources").Value!;
        string[] files = [.. Directory.GetFiles(root, "*.cs", SearchOption.AllDirectories)
            .Select(file => Path.GetRelativePath(root, file).Replace('\\', '/'))
            .Where(file => !file.StartsWith("obj/", StringComparison.Ordinal) && !file.StartsWith("bin/", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)];
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        var text = new StringBuilder();
        foreach (string file in files)
        {
            byte[] content = File.ReadAllBytes(Path.Combine(root, file));
            hash.AppendData(Encoding.UTF8.GetBytes(file));
            hash.AppendData(content);
            text.AppendLine($"  {Convert.ToHexStringLower(SHA256.HashData(content))[..12]}  src/Ring/{file}");
        }

        text.Append($"{files.Length} files of src/Ring, sha256 {Convert.ToHexStringLower(hash.GetHashAndReset())}");
        return text.ToString();
    }
}
