-- Messages to browsers wait in a lane of their own, since Kurir sends them itself. A value that is added to a type cannot be
-- named in the same file.
ALTER TYPE message_channel ADD VALUE 'webpush';
